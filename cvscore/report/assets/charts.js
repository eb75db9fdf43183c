"use strict";
// The residuals on the axis of the slider, and the sweep S(k).

const SVG = "http://www.w3.org/2000/svg";
const BINS = 72;
const BELOW_ZERO = 0.08; // how much of S(k) is shown there, in its maximum
const THUMB = 10; // half of the slider's thumb: the axis begins and ends at its middle

function svg(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Thresholds on a logarithmic axis, as far as there are residuals.
class ThresholdAxis {
  constructor(threshold, residuals) {
    const finite = residuals.filter(Number.isFinite);
    this.low = threshold / 100;
    this.high = Math.max(threshold * 20, finite.reduce((a, b) => Math.max(a, b), 0) * 1.05);
  }

  fraction(value) {
    const share = Math.log(value / this.low) / Math.log(this.high / this.low);
    return Math.min(Math.max(share, 0), 1);
  }

  value(fraction) { return this.low * (this.high / this.low) ** fraction; }
}

function drawHistogram(element, axis, labels, found) {
  const { clientWidth: width, clientHeight: height } = element;
  const bottom = height - 18, top = 20;
  const at = (value) => THUMB + axis.fraction(value) * (width - 2 * THUMB);
  const counts = LABELS.map(() => new Array(BINS).fill(0));
  labels.residuals.forEach((residual, i) => {
    const bin = residual > 0 ? Math.min(Math.floor(axis.fraction(residual) * BINS), BINS - 1) : 0;
    if (Number.isFinite(residual)) counts[LABELS.indexOf(labels.of[i])][bin] += 1;
  });
  const most = Math.max(1, ...counts[0].map((_, bin) => counts.reduce((sum, row) => sum + row[bin], 0)));
  const step = (width - 2 * THUMB) / BINS;
  element.replaceChildren();
  for (let bin = 0; bin < BINS; bin += 1) {
    let y = bottom;
    for (const label of ["inlier", "lost", "gained", "outlier"]) {
      const count = counts[LABELS.indexOf(label)][bin];
      if (!count) continue;
      const tall = (count / most) * (bottom - top);
      y -= tall;
      const shape = { x: THUMB + bin * step + 0.5, y, width: Math.max(step - 1, 0.5), height: tall };
      element.append(svg("rect", { ...shape, rx: 1, fill: `var(--${label})` }));
    }
  }
  element.append(svg("line", { x1: THUMB, x2: width - THUMB, y1: bottom, y2: bottom, stroke: "var(--line)" }));
  for (let power = Math.ceil(Math.log10(axis.low)); 10 ** power <= axis.high; power += 1) {
    const x = at(10 ** power);
    element.append(svg("line", { x1: x, x2: x, y1: bottom, y2: bottom + 4, stroke: "var(--muted)" }));
    const anchor = x < 24 ? "start" : x > width - 24 ? "end" : "middle";
    element.append(svg("text", { x, y: height - 3, "text-anchor": anchor }, `${digits(10 ** power)} px`));
  }
  const x = at(found);
  const anchor = x > 0.6 * width ? "end" : "start";
  element.append(svg("line", { x1: x, x2: x, y1: 4, y2: bottom, stroke: "var(--ink)", "stroke-dasharray": "4 3" }));
  const place = { x: x + (anchor === "end" ? -6 : 6), y: 13, "text-anchor": anchor, class: "strong" };
  element.append(svg("text", place, `found: ${digits(found)} px`));
  if (labels.threshold !== null) {
    const yours = at(labels.threshold);
    element.append(svg("line", { x1: yours, x2: yours, y1: top, y2: height, stroke: "var(--accent)", "stroke-width": 2 }));
  }
}

// About so many round numbers from zero to `most`.
function roundSteps(most, count) {
  const power = 10 ** Math.floor(Math.log10(most / count));
  const step = [10, 5, 2, 1].map((factor) => factor * power).find((value) => value <= (1.5 * most) / count);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, n) => Number((n * step).toPrecision(6)));
}

// S(k) with the chosen k, and with another where a threshold was set.
function drawSweep(element, sweep, other) {
  const { clientWidth: width, clientHeight: height } = element;
  const [left, right, top, bottom] = [52, width - 12, 24, height - 34];
  const num = sweep.scores.length;
  const finite = sweep.scores.map((score, n) => [n + 1, score]).filter(([, score]) => score !== null);
  const best = finite.reduce((most, [, score]) => Math.max(most, score), 1e-9);
  const x = (k) => left + ((k - 1) / Math.max(num - 1, 1)) * (right - left);
  const y = (score) => bottom - (score / best + BELOW_ZERO) / (1.05 + BELOW_ZERO) * (bottom - top);
  element.replaceChildren();
  for (const score of roundSteps(best, 4)) {
    element.append(svg("line", { x1: left, x2: right, y1: y(score), y2: y(score), stroke: "var(--line)" }));
    element.append(svg("text", { x: left - 7, y: y(score) + 4, "text-anchor": "end" }, score));
  }
  for (const k of roundSteps(num, 5)) {
    element.append(svg("text", { x: x(Math.max(k, 1)), y: bottom + 16, "text-anchor": "middle" }, Math.max(k, 1)));
  }
  element.append(svg("text", { x: (left + right) / 2, y: height - 3, "text-anchor": "middle" }, "k, matches taken as inliers"));
  element.append(svg("text", { x: 2, y: 12 }, "S(k), nats"));
  const every = Math.max(1, Math.floor(finite.length / 800));
  const path = finite.filter((_, n) => n % every === 0 || n === finite.length - 1);
  // An inner picture cuts off what is far below zero.
  const area = svg("svg", { x: left, y: top, width: right - left, height: bottom - top });
  const within = ([k, score]) => `${(x(k) - left).toFixed(1)},${(y(Math.max(score, -best)) - top).toFixed(1)}`;
  const points = path.map(within).join(" ");
  area.append(svg("polyline", { points, fill: "none", stroke: "var(--inlier)", "stroke-width": 2.2, "stroke-linejoin": "round" }));
  element.append(area);
  drawChoice(element, x(sweep.k), y(sweep.scores[sweep.k - 1] ?? 0), bottom, "var(--ink)", `k = ${sweep.k}`, width);
  if (other) drawChoice(element, x(Math.max(other.k, 1)), y(Math.max(other.score ?? 0, -BELOW_ZERO * best)), bottom, "var(--accent)", null, width);
  return (place) => Math.min(Math.max(Math.round(1 + ((place - left) / (right - left)) * (num - 1)), 1), num);
}

function drawChoice(element, x, y, bottom, ink, name, width) {
  element.append(svg("line", { x1: x, x2: x, y1: y, y2: bottom, stroke: ink, "stroke-dasharray": "4 3" }));
  element.append(svg("circle", { cx: x, cy: y, r: 5, fill: ink, stroke: "var(--card)", "stroke-width": 2 }));
  if (name === null) return;
  const anchor = x > 0.7 * width ? "end" : "start";
  element.append(svg("text", { x: x + (anchor === "end" ? -8 : 8), y: y - 8, "text-anchor": anchor, class: "strong" }, name));
}
