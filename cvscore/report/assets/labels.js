"use strict";
// Which matches are inliers: by the score, and by a threshold beside it.

const LABELS = ["inlier", "outlier", "gained", "lost"];
const LABEL_NAMES = {
  inlier: "inliers",
  outlier: "outliers",
  gained: "only with your threshold",
  lost: "lost by your threshold",
};

class Labels {
  constructor(data) {
    this.num = data.points[0].length / 2;
    // A residual that is no number is infinite: JSON has no word for it.
    const residuals = data.residuals ?? new Array(this.num).fill(null);
    this.residuals = residuals.map((value) => value ?? Infinity);
    this.chosen = data.inliers ?? new Array(this.num).fill(0);
    this.byResidual = [...this.residuals.keys()].sort(
      (a, b) => this.residuals[a] - this.residuals[b] || a - b,
    );
    this.setThreshold(null);
  }

  // Null is no threshold: the choice of the score.
  setThreshold(threshold) {
    this.threshold = threshold;
    this.of = this.residuals.map((residual, i) => {
      const chosen = this.chosen[i] === 1;
      const within = threshold === null ? chosen : residual <= threshold;
      if (chosen) return within ? "inlier" : "lost";
      return within ? "gained" : "outlier";
    });
    this.counts = Object.fromEntries(LABELS.map((label) => [label, 0]));
    for (const label of this.of) this.counts[label] += 1;
  }

  get numChosen() { return this.counts.inlier + this.counts.lost; }
  get numWithin() { return this.counts.inlier + this.counts.gained; }
}

// Three digits, without an exponent where people read none.
function digits(value) {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)) return value.toExponential(1);
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
