"use strict";
// A few pixels of one image around a match: what no view of the whole image shows.

const CLOSEUP_SIZE = 300; // of the canvas, in pixels of the page
const LEAST_FIELD = 12, MOST_FIELD = 240; // pixels of the image across

function drawCloseup(canvas, views, side, i) {
  const ratio = devicePixelRatio || 1;
  canvas.width = canvas.height = CLOSEUP_SIZE * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const match = views.match(i);
  const point = match[side];
  const prediction = views.model?.predict(match, side, views.radius) ?? null;
  const distance = prediction ? distanceTo(prediction, point) : 0;
  const width = prediction ? prediction.halfWidth ?? prediction.axes[0] : 0;
  const field = Math.min(Math.max(LEAST_FIELD, 5 * width, 2.6 * distance), MOST_FIELD);
  const scale = CLOSEUP_SIZE / field;
  const middle = CLOSEUP_SIZE / 2;
  const toScreen = ([x, y]) => [middle + (x - point[0]) * scale, middle + (y - point[1]) * scale];

  pen.fillStyle = "#222a33";
  pen.fillRect(0, 0, CLOSEUP_SIZE, CLOSEUP_SIZE);
  const frame = views.data.frames[side];
  const picture = views.elements[side].querySelector("img");
  if (picture?.complete) {
    const [x, y] = toScreen([frame.left, frame.top]);
    pen.imageSmoothingEnabled = scale < 6;
    pen.drawImage(picture, x, y, frame.width * scale, frame.height * scale);
  }
  if (prediction) drawPrediction(pen, prediction, toScreen, scale);
  const label = views.labels.of[i];
  pen.beginPath();
  pen.arc(middle, middle, 11, 0, 2 * Math.PI);
  strokeTwice(pen, () => {}, "#fff", 2);
  drawMark(pen, label, [middle, middle], 5, markColour(label));
  drawScaleBar(pen, field, scale);
  return { prediction, distance, field };
}

// A round length of about a fifth of the field.
function drawScaleBar(pen, field, scale) {
  const power = 10 ** Math.floor(Math.log10(field / 4));
  const length = [5, 2, 1].map((step) => step * power).find((value) => value <= field / 4);
  const [x, y] = [14, CLOSEUP_SIZE - 16];
  strokeTwice(pen, () => { pen.beginPath(); pen.moveTo(x, y); pen.lineTo(x + length * scale, y); }, "#fff", 2);
  pen.font = "600 12px system-ui, sans-serif";
  pen.lineWidth = 3;
  pen.strokeStyle = "rgb(0 0 0 / 70%)";
  pen.strokeText(`${digits(length)} px`, x, y - 6);
  pen.fillStyle = "#fff";
  pen.fillText(`${digits(length)} px`, x, y - 6);
}
