"""What must not change an answer changes no more than another seed does."""

import pytest

from benchmarks.attack.laws import ANOTHER_SEED, CONTROLS, LAWS, main, measure

NUM = 12
# Of the labels, and of AUC@10, beyond what another seed changes on so few pairs.
LABELS, AUC = 0.02, 2.0


@pytest.mark.parametrize("problem", ["E", "F", "H"])
def test_no_law_costs_more_than_another_seed(problem):
    rows = {row.law: row for row in measure(problem, NUM)}
    assert set(rows) == {"plain", *LAWS}
    for name in LAWS:
        if name in CONTROLS.values():
            continue  # more wrong matches are another problem
        control, row = rows[CONTROLS.get(name, ANOTHER_SEED)], rows[name]
        assert row.differing <= control.differing + LABELS, row
        assert row.auc >= min(control.auc, rows["plain"].auc) - AUC, row


def test_the_table_is_printed(capsys):
    main(["--num", "1", "--problems", "H"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 + len(LAWS)
    assert lines[3].startswith(f"| H | {ANOTHER_SEED} |")
