"use strict";
// The page of one pair: puts the numbers in their places and joins the parts.

const data = readData();
const labels = new Labels(data);
const model = data.relation ? new Model(data.relation, data.matrix) : null;
const views = new Views(byId("views"), byId("overlay"), data, labels, model);
const hasModel = data.kind !== null;
const canSweep = hasModel && data.threshold > 0;
const axis = canSweep ? new ThresholdAxis(data.threshold, labels.residuals) : null;
const PRESETS = [0.5, 1, 3, 10]; // pixels: what people set
const OPENCV_DEFAULTS = { homography: 3, fundamental: 3, essential: 1 }; // pixels
const KINDS = { homography: "Homography", fundamental: "Fundamental matrix", essential: "Essential matrix" };
let kAt = () => 1; // from a place on the chart to k

// Numbers.

function addTile(list, name, value, note) {
  const tile = document.createElement("div");
  tile.className = "tile";
  const [dt, dd, strong, small] = ["dt", "dd", "div", "div"].map((tag) => document.createElement(tag));
  dt.textContent = name;
  strong.className = "value";
  strong.textContent = value;
  small.className = "small muted";
  small.textContent = note;
  dd.append(strong, small);
  tile.append(dt, dd);
  list.append(tile);
}

function showNumbers() {
  byId("title").textContent = data.names.join("  ↔  ");
  if (!hasModel) {
    byId("failure").hidden = false;
    byId("failure").textContent = `No model: ${data.reason}`;
    byId("verdict").textContent = `${labels.num} matches, all of them rejected`;
    byId("tiles").hidden = byId("analysis").hidden = true;
    byId("purpose").textContent = "to see where its partner is.";
    return;
  }
  const share = labels.num ? Math.round((100 * labels.numChosen) / labels.num) : 0;
  const kind = KINDS[data.kind] ?? `Model: ${data.kind}`;
  byId("verdict").textContent = [kind, data.scene].filter(Boolean).join(" · ");
  const tiles = byId("tiles");
  const [low, high] = data.scaleInterval.map(digits);
  addTile(tiles, "Inliers", labels.numChosen, `of ${labels.num} matches (${share} %)`);
  addTile(tiles, "Noise scale", `${digits(data.scale)} px`, `95 %: ${low} to ${high} px`);
  addTile(tiles, "Implied threshold", `${digits(data.threshold)} px`, "a result; nothing was set");
  addTile(tiles, "Evidence", `${digits(data.evidence)} nats`,
    data.isSignificant ? "over “by chance”: significant" : "over “by chance”: NOT significant");
}

// The legend, which switches marks on and off.

function markIcon(label) {
  const paths = {
    inlier: svg("circle", { cx: 7, cy: 7, r: 5, fill: "var(--inlier)" }),
    lost: svg("circle", { cx: 7, cy: 7, r: 4.5, fill: "none", stroke: "var(--lost)", "stroke-width": 2.4 }),
    gained: svg("path", { d: "M7 1 L13 13 L1 13 Z", fill: "var(--gained)" }),
    outlier: svg("path", { d: "M2 2 L12 12 M12 2 L2 12", stroke: "var(--outlier)", "stroke-width": 2.6 }),
    lines: svg("path", { d: "M1 11 L13 3", stroke: "var(--inlier)", "stroke-width": 2.2 }),
    dim: svg("path", { d: "M7 1 A6 6 0 1 0 7 13 Z", fill: "var(--muted)" }),
  };
  const icon = svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
  icon.append(paths[label]);
  return icon;
}

function addChip(name, text, checked, whenChanged) {
  const chip = document.createElement("label");
  chip.className = "chip";
  chip.id = `chip-${name}`;
  const box = document.createElement("input");
  box.type = "checkbox";
  box.id = `show-${name}`;
  box.checked = checked;
  box.addEventListener("change", () => whenChanged(box.checked));
  const words = document.createElement("span");
  words.textContent = text;
  chip.append(box, markIcon(name), words);
  byId("legend").append(chip);
}

function setUpLegend() {
  for (const label of LABELS) {
    addChip(label, "", true, (checked) => { views.shown[label] = checked; views.draw(); });
  }
  addChip("lines", "lines", false, (checked) => { views.shown.lines = checked; views.draw(); });
  addChip("dim", "dim images", false, (checked) => byId("views").classList.toggle("dim", checked));
  byId("chip-lines").hidden = !hasModel;
  byId("chip-dim").hidden = !data.frames[0].source;
}

function showCounts() {
  const isSet = labels.threshold !== null;
  for (const label of LABELS) {
    const words = byId(`chip-${label}`).querySelector("span");
    words.textContent = `${labels.counts[label]} ${LABEL_NAMES[label]}`;
  }
  byId("chip-gained").hidden = byId("chip-lost").hidden = !isSet;
  byId("chip-inlier").hidden = !hasModel;
  if (!hasModel) byId("chip-outlier").querySelector("span").textContent = `${labels.num} matches`;
}

// One match.

function select(i) {
  views.selected = i;
  views.draw();
  byId("inspector").hidden = i === null;
  byId("hint").hidden = i !== null;
  if (i === null) return;
  const rank = labels.byResidual.indexOf(i);
  const residual = labels.residuals[i];
  const nouns = { inlier: "an inlier", lost: "an inlier, lost by your threshold", gained: "an outlier that your threshold takes", outlier: "an outlier" };
  const noun = hasModel ? nouns[labels.of[i]] : "rejected";
  byId("detail").textContent = `Match ${i}: ${noun}` + (hasModel ? `, residual ${digits(residual)} px` : "");
  const facts = { "first image": coordinates(0, i), "second image": coordinates(1, i) };
  if (hasModel) {
    facts.rank = `${rank + 1} of ${labels.num}, by residual`;
    facts.residual = `${digits(residual / data.scale)} times the noise scale`;
  }
  showFacts(facts);
  for (const side of [0, 1]) showCloseup(side, i);
}

function coordinates(side, i) {
  return views.point(side, i).map((value) => value.toFixed(1)).join(", ");
}

function showFacts(facts) {
  byId("facts").replaceChildren();
  for (const [name, value] of Object.entries(facts)) {
    const [dt, dd] = ["dt", "dd"].map((tag) => document.createElement(tag));
    dt.textContent = name;
    dd.textContent = value;
    byId("facts").append(dt, dd);
  }
}

function showCloseup(side, i) {
  const canvas = byId(`closeup${side}`);
  const { prediction, distance } = drawCloseup(canvas, views, side, i);
  const image = side === 0 ? "First image" : "Second image";
  let text = `${image}.`;
  if (prediction?.line) {
    text = `${image}: ${digits(distance)} px from its epipolar line; the band is ± ${digits(prediction.halfWidth)} px, where residuals reach the threshold.`;
  } else if (prediction) {
    text = `${image}: ${digits(distance)} px from the mapped place (cross); in the ellipse residuals are within the threshold.`;
  }
  byId(`caption${side}`).textContent = text;
  canvas.setAttribute("aria-label", `Close-up. ${text}`);
}

function step(by) {
  const order = labels.byResidual.filter((i) => views.shown[labels.of[i]]);
  if (!order.length) return;
  const at = order.indexOf(views.selected);
  select(order[at < 0 ? 0 : Math.min(Math.max(at + by, 0), order.length - 1)]);
}

function setUpSelection() {
  const container = byId("views");
  container.addEventListener("click", (event) => {
    const box = container.getBoundingClientRect();
    select(views.at(event.clientX - box.left, event.clientY - box.top));
  });
  container.addEventListener("focus", () => {
    if (views.selected === null && container.matches(":focus-visible")) step(0);
  });
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };
  container.addEventListener("keydown", (event) => {
    if (event.key === "Escape") select(null);
    else if (event.key in steps) step(steps[event.key]);
    else return;
    event.preventDefault();
  });
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("leave").addEventListener("click", () => { select(null); container.focus(); });
}

// The threshold.

function setThreshold(threshold) {
  labels.setThreshold(threshold);
  views.radius = threshold ?? data.threshold ?? 0;
  showCounts();
  select(views.selected);
  if (!canSweep) return;
  const slider = byId("slider");
  slider.value = Math.round(slider.max * axis.fraction(threshold ?? data.threshold));
  const isSet = threshold !== null;
  const { gained, lost } = labels.counts;
  const words = isSet ? `${digits(threshold)} px, ${labels.numWithin} inliers` : `none; ${digits(data.threshold)} px was found`;
  slider.setAttribute("aria-valuetext", words);
  byId("ours").textContent = labels.numChosen;
  byId("ours-note").textContent = `inliers, up to ${digits(data.threshold)} px`;
  byId("yours-name").textContent = isSet ? `Threshold ${digits(threshold)} px` : "Your threshold";
  byId("yours").textContent = isSet ? labels.numWithin : "–";
  byId("yours-note").textContent = isSet ? `inliers: ${gained} more, ${lost} lost` : "move the slider";
  byId("summary").textContent = verdictOn(threshold);
  for (const button of byId("presets").children) {
    const own = button.dataset.threshold ? Number(button.dataset.threshold) : null;
    button.setAttribute("aria-pressed", String(own === threshold));
  }
  drawCharts();
}

function verdictOn(threshold) {
  if (threshold === null) return "The score needed no threshold: it found where the inliers end, from the residuals alone.";
  const { gained, lost } = labels.counts;
  const parts = [];
  if (gained) parts.push(`takes ${gained} more that noise of ${digits(data.scale)} px does not explain`);
  if (lost) parts.push(`throws ${lost} away that it does explain`);
  const effect = parts.length ? parts.join(" and ") : "makes the same choice";
  return `${digits(threshold)} px ${effect}. The model is held as it is here; a search with this threshold may also end in another one.`;
}

function drawCharts() {
  drawHistogram(byId("histogram"), axis, labels, data.threshold);
  const sweep = data.sweep;
  let other = null;
  if (labels.threshold !== null) {
    const k = sweep.residuals.filter((residual) => residual !== null && residual <= labels.threshold).length;
    other = { k, score: k ? sweep.scores[k - 1] : null };
  }
  kAt = drawSweep(byId("sweep"), sweep, other);
  const best = sweep.scores[sweep.k - 1];
  const chosen = `k = ${sweep.k} of ${sweep.scores.length} distinct matches: S = ${digits(best)} nats`;
  let compared = "";
  if (other && other.k !== sweep.k) {
    compared = other.score === null
      ? ` At your threshold k = ${other.k}: too few for a model.`
      : ` At your threshold k = ${other.k}, ${digits(best - other.score)} nats less.`;
  }
  const repeated = labels.num - sweep.scores.length;
  const counted = repeated ? ` The other ${repeated} matches repeat a point; the score counts each once.` : "";
  byId("sweep-note").textContent = `${chosen}.${compared}${counted}`;
  byId("sweep").setAttribute("aria-label", `Chart of the score S(k). ${chosen}.${compared}`);
}

function setUpThreshold() {
  if (!canSweep) {
    byId("analysis").hidden = true;
    return;
  }
  const slider = byId("slider");
  slider.addEventListener("input", () => setThreshold(axis.value(slider.value / slider.max)));
  const presets = [null, ...PRESETS.filter((value) => value > axis.low && value < axis.high)];
  for (const value of presets) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = value === null ? "No threshold" : `${value} px${value === OPENCV_DEFAULTS[data.kind] ? " (OpenCV’s default)" : ""}`;
    if (value !== null) button.dataset.threshold = value;
    button.addEventListener("click", () => setThreshold(value));
    byId("presets").append(button);
  }
  byId("sweep").addEventListener("click", (event) => {
    const k = kAt(event.clientX - byId("sweep").getBoundingClientRect().left);
    const residual = data.sweep.residuals[k - 1];
    if (residual > 0) setThreshold(residual);
  });
  new ResizeObserver(drawCharts).observe(byId("histogram"));
}

showNumbers();
setUpLegend();
setUpSelection();
setUpThreshold();
setThreshold(null);
setUpTheme(byId("theme"));
