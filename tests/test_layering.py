"""The plan of the building, held by reading the tree and its imports."""

import ast

import pytest
from conftest import ROOT

PACKAGE = ROOT / "cvscore"
MODULES = sorted(PACKAGE.rglob("*.py"))
# Each package may import those before it.
LAYERS = (
    "types",
    "files",
    "parallel",
    "_numba",
    "numerics",
    "data",
    "scores",
    "ransac",
    "inference",
    "models",
    "two_view",
    "estimators",
    "calibration",
    "opencv",
    "colmap",
    "images",
    "draw",
    "report",
    "cli",
)
STRANGERS = {("models", "scores"), ("scores", "models")}  # never import each other
HEAVY = {"cv2", "pycolmap", "scipy", "matplotlib", "h5py", "dask"}
KERNELS = {
    "kernel",
    "brief_kernel",
    "bound_kernel",
    "brief_bound_kernel",
    "reordering_kernel",
    "overload",
}


def name_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path, *, top_level_only=False):
    tree = ast.parse(path.read_text())
    nodes = tree.body if top_level_only else ast.walk(tree)
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in {path}"
            found |= {node.module, *(f"{node.module}.{a.name}" for a in node.names)}
    return found


def layer_of(module):
    parts = module.split(".")
    return parts[1] if parts[0] == "cvscore" and len(parts) > 1 else None


def test_the_top_of_the_package_holds_packages_only():
    entries = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert entries == {*LAYERS, "__init__.py", "__main__.py", "py.typed"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_layers_import_those_before_them(path):
    layer = layer_of(name_of(path))
    if layer not in LAYERS:  # __init__ and __main__ of the package stand above all
        return
    for module in imports_of(path):
        other = layer_of(module)
        if other in LAYERS:
            assert LAYERS.index(other) <= LAYERS.index(layer), module
            assert (layer, other) not in STRANGERS, module


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_heavy_packages_are_imported_by_the_drop_in_or_when_needed(path):
    if layer_of(name_of(path)) == "opencv":
        return
    roots = {name.split(".")[0] for name in imports_of(path, top_level_only=True)}
    assert not roots & HEAVY


def decorators_of(function):
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        yield getattr(called, "id", getattr(called, "attr", ""))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_function_but_kernels_is_annotated(path):
    # Kernels are typed by numba, so no linter can ask this of whole files.
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.FunctionDef) or KERNELS & {*decorators_of(node)}:
            continue
        assert node.returns is not None, node.name
        given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        bare = [a.arg for a in given if a.annotation is None]
        assert set(bare) <= {"self", "cls"}, (node.name, bare)


# What every module of its layer has, each for its own model.
OF_EVERY_MODULE = {"COUNTS", "ESTIMATOR", "IN_PLANE", "IN_SPACE", "KERNELS"}


def constants_of(path):
    """Upper-case names assigned at the top of a module, with what they are given."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        for target in targets:
            is_tuple = isinstance(target, ast.Tuple)
            names = target.elts if is_tuple else [target]
            given = value.elts if is_tuple and isinstance(value, ast.Tuple) else [value]
            for place, name in enumerate(names):
                if isinstance(name, ast.Name) and name.id.strip("_").isupper():
                    yield name.id, given[place] if len(given) > 1 else value


def test_a_constant_has_one_value():
    """The same name in two modules means the same thing; imports are no assignments."""
    values = {}
    for path in MODULES:
        for name, value in constants_of(path):
            values.setdefault(name, {})[name_of(path)] = ast.unparse(value)
    several = {
        name: found
        for name, found in values.items()
        if len(set(found.values())) > 1 and name not in OF_EVERY_MODULE
    }
    lines = []
    for name, found in sorted(several.items()):
        places = (f"{module} = {value}" for module, value in found.items())
        lines.append(f"{name}: " + ", ".join(places))
    assert not several, "\n".join(["names with several values:", *lines])


def test_the_loop_fits_on_a_screen():
    tree = ast.parse((PACKAGE / "ransac" / "loop.py").read_text())
    (loop,) = [n for n in tree.body if getattr(n, "name", "") == "_search"]
    docstring = loop.body[0]
    code = (loop.end_lineno - loop.lineno) - (docstring.end_lineno - docstring.lineno)
    assert code <= 40
