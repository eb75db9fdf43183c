"use strict";
// What the model says of one match, in both images: a line or a place, with the region
// that an inlier may be in.  Side 0 is the first image, side 1 the second.

function multiply(matrix, [x, y]) {
  return [0, 1, 2].map((row) => matrix[row][0] * x + matrix[row][1] * y + matrix[row][2]);
}

function transposed(matrix) {
  return [0, 1, 2].map((row) => [0, 1, 2].map((column) => matrix[column][row]));
}

// Up to its scale, which is all that a homography has.
function inverted(matrix) {
  const [[a, b, c], [d, e, f], [g, h, i]] = matrix;
  return [
    [e * i - f * h, c * h - b * i, b * f - c * e],
    [f * g - d * i, a * i - c * g, c * d - a * f],
    [d * h - e * g, b * g - a * h, a * e - b * d],
  ];
}

class Model {
  constructor(relation, matrix) {
    this.relation = relation;
    const other = relation === "line" ? transposed(matrix) : inverted(matrix);
    this.towards = [other, matrix]; // [onto the first image, onto the second]
  }

  // What a match (two points) says of the image of a side, for residuals up to `radius`.
  predict(points, side, radius) {
    if (this.relation === "line") return this.#line(points, side, radius);
    if (this.relation === "place") return this.#place(points, side, radius);
    return null;
  }

  // The line a x + b y + c = 0 of unit normal, and how far from it a residual of `radius`
  // is.  A Sampson residual shares the error among both images, each by its gradient.
  #line(points, side, radius) {
    const lines = [0, 1].map((s) => multiply(this.towards[s], points[1 - s]));
    const lengths = lines.map(([a, b]) => Math.hypot(a, b));
    if (!(lengths[side] > 0)) return null; // at an epipole every line is one
    return {
      line: lines[side].map((value) => value / lengths[side]),
      halfWidth: (radius * Math.hypot(...lengths)) / lengths[side],
    };
  }

  #place(points, side, radius) {
    const [x, y, w] = multiply(this.towards[side], points[1 - side]);
    const place = [x / w, y / w];
    if (!place.every(Number.isFinite)) return null;
    return { place, ...ellipse(this.#covariance(points[1 - side], side), radius) };
  }

  // Covariance of "observed minus mapped" for noise of unit variance in both images.
  // That of the model itself, once estimates have one, is another term of this sum.
  #covariance([x, y], side) {
    const matrix = this.towards[side];
    const [u, v, w] = multiply(matrix, [x, y]);
    const slope = (row, value, column) => (matrix[row][column] - (value / w) * matrix[2][column]) / w;
    const [a, b] = [slope(0, u, 0), slope(0, u, 1)];
    const [c, d] = [slope(1, v, 0), slope(1, v, 1)];
    return [1 + a * a + b * b, a * c + b * d, 1 + c * c + d * d];
  }
}

// Half-axes and direction of the ellipse with this covariance [xx, xy, yy].
function ellipse([xx, xy, yy], radius) {
  const middle = (xx + yy) / 2;
  const spread = Math.hypot((xx - yy) / 2, xy);
  return {
    axes: [radius * Math.sqrt(middle + spread), radius * Math.sqrt(Math.max(middle - spread, 0))],
    angle: Math.atan2(2 * xy, xx - yy) / 2,
  };
}

// How far an observed point is from what the model predicts.
function distanceTo(prediction, [x, y]) {
  if (prediction.line) {
    const [a, b, c] = prediction.line;
    return Math.abs(a * x + b * y + c);
  }
  return Math.hypot(x - prediction.place[0], y - prediction.place[1]);
}
