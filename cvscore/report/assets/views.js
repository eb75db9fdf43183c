"use strict";
// Both images with the matches on them.

const MAX_HEIGHT = 0.74; // of the images, in heights of the window
const MAX_LINES = 300; // more hide the images
const STAMP = 9; // half of the side of a mark's picture
const REACH = 14; // pixels of the screen from which a click finds a point

class Views {
  constructor(container, canvas, data, labels, model) {
    Object.assign(this, { container, canvas, data, labels, model });
    this.shown = { inlier: true, outlier: true, gained: true, lost: true, lines: false };
    this.selected = null;
    this.radius = data.threshold ?? 0;
    this.elements = data.frames.map((frame, side) => this.#view(frame, data.names[side]));
    canvas.before(...this.elements);
    new ResizeObserver(() => this.draw()).observe(container);
    addEventListener("resize", () => this.#fit());
    this.#fit();
  }

  #view(frame, name) {
    const view = document.createElement("div");
    view.className = "view";
    view.style.aspectRatio = `${frame.width} / ${frame.height}`;
    const picture = document.createElement(frame.source ? "img" : "div");
    if (frame.source) {
      picture.src = frame.source;
      picture.alt = name;
      picture.draggable = false;
    } else {
      picture.className = "blank";
    }
    const label = document.createElement("div");
    label.className = "name";
    label.textContent = name;
    view.append(picture, label);
    return view;
  }

  // Side by side the images have one height, and both fit into the window.
  #fit() {
    const aspects = this.data.frames.map((frame) => frame.width / frame.height);
    const isStacked = getComputedStyle(this.container).flexDirection === "column";
    const widest = MAX_HEIGHT * innerHeight * (aspects[0] + aspects[1]);
    this.container.style.maxWidth = isStacked ? "" : `${widest}px`;
    this.elements.forEach((element, side) => {
      element.style.flex = isStacked ? "none" : `${aspects[side]} 1 0`;
    });
    this.draw();
  }

  point(side, i) {
    const points = this.data.points[side];
    return [points[2 * i], points[2 * i + 1]];
  }

  match(i) { return [this.point(0, i), this.point(1, i)]; }

  // Where the image of a side is on the canvas.
  box(side) {
    const element = this.elements[side];
    const { offsetLeft: x, offsetTop: y, offsetWidth: width, offsetHeight: height } = element;
    return { x, y, width, height, scale: width / this.data.frames[side].width };
  }

  place(side, [x, y], box = this.box(side)) {
    const frame = this.data.frames[side];
    return [box.x + (x - frame.left) * box.scale, box.y + (y - frame.top) * box.scale];
  }

  // The match at a place of the canvas, of those that are shown; null where there is none.
  at(x, y) {
    let nearest = null, best = REACH;
    for (const side of [0, 1]) {
      const box = this.box(side);
      for (let i = 0; i < this.labels.num; i += 1) {
        if (!this.shown[this.labels.of[i]]) continue;
        const [u, v] = this.place(side, this.point(side, i), box);
        const distance = Math.hypot(u - x, v - y);
        if (distance < best) [nearest, best] = [i, distance];
      }
    }
    return nearest;
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.container;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const boxes = [this.box(0), this.box(1)];
    const palette = Object.fromEntries(LABELS.map((label) => [label, markColour(label)]));
    pen.globalAlpha = this.selected === null ? 1 : 0.3;
    if (this.shown.lines) this.#drawLines(pen, boxes, palette);
    this.#drawPoints(pen, boxes, palette);
    pen.globalAlpha = 1;
    if (this.selected !== null) this.#drawSelected(pen, boxes, palette);
  }

  #drawLines(pen, boxes, palette) {
    pen.lineWidth = 1;
    const accepted = this.labels.byResidual.filter(
      (i) => ["inlier", "gained"].includes(this.labels.of[i]) && this.shown[this.labels.of[i]],
    );
    const every = Math.max(1, Math.ceil(accepted.length / MAX_LINES));
    for (let n = 0; n < accepted.length; n += every) {
      const i = accepted[n];
      pen.strokeStyle = palette[this.labels.of[i]];
      pen.beginPath();
      pen.moveTo(...this.place(0, this.point(0, i), boxes[0]));
      pen.lineTo(...this.place(1, this.point(1, i), boxes[1]));
      pen.stroke();
    }
  }

  #drawPoints(pen, boxes, palette) {
    const radius = this.labels.num > 2500 ? 2.2 : this.labels.num > 600 ? 2.8 : 3.6;
    // What was accepted is drawn last, over the rest.
    for (const label of ["outlier", "lost", "gained", "inlier"]) {
      if (!this.shown[label]) continue;
      const stamp = markStamp(label, radius, palette[label]);
      for (const side of [0, 1]) {
        clipped(pen, boxes[side], () => {
          for (let i = 0; i < this.labels.num; i += 1) {
            if (this.labels.of[i] !== label) continue;
            const [x, y] = this.place(side, this.point(side, i), boxes[side]);
            // On whole pixels, or it would be blurred.
            pen.drawImage(stamp, Math.round(x) - STAMP, Math.round(y) - STAMP, 2 * STAMP, 2 * STAMP);
          }
        });
      }
    }
  }

  #drawSelected(pen, boxes, palette) {
    const i = this.selected;
    const label = this.labels.of[i];
    const match = this.match(i);
    const ends = [0, 1].map((side) => this.place(side, match[side], boxes[side]));
    pen.setLineDash([5, 5]);
    strokeTwice(pen, () => { pen.beginPath(); pen.moveTo(...ends[0]); pen.lineTo(...ends[1]); }, "#fff", 1.2);
    pen.setLineDash([]);
    for (const side of [0, 1]) {
      const prediction = this.model?.predict(match, side, this.radius);
      const box = boxes[side];
      clipped(pen, box, () => {
        if (prediction) drawPrediction(pen, prediction, (point) => this.place(side, point, box), box.scale);
        pen.beginPath();
        pen.arc(...ends[side], 9, 0, 2 * Math.PI);
        strokeTwice(pen, () => {}, "#fff", 2);
        drawMark(pen, label, ends[side], 4.5, palette[label]);
      });
    }
  }
}

function clipped(pen, { x, y, width, height }, draw) {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  draw();
  pen.restore();
}

// Bright enough for photographs, whatever the colours of the page.
function markColour(label) {
  return { inlier: "#3db5ff", outlier: "#ff6a1f", gained: "#ff7ad9", lost: "#ffe14d" }[label];
}

// One mark as a picture: many thousands of them are drawn at every step of the slider.
function markStamp(label, radius, fill) {
  const ratio = devicePixelRatio || 1;
  const stamp = document.createElement("canvas");
  stamp.width = stamp.height = Math.ceil(2 * STAMP * ratio);
  const pen = stamp.getContext("2d");
  pen.scale(ratio, ratio);
  drawMark(pen, label, [STAMP, STAMP], radius, fill);
  return stamp;
}

// A shape for each label, so that nobody needs the colours.
function drawMark(pen, label, [x, y], radius, fill) {
  const paths = {
    inlier: () => pen.arc(x, y, radius, 0, 2 * Math.PI),
    lost: () => pen.arc(x, y, radius + 0.6, 0, 2 * Math.PI),
    gained: () => {
      pen.moveTo(x, y - 1.4 * radius);
      pen.lineTo(x + 1.3 * radius, y + radius);
      pen.lineTo(x - 1.3 * radius, y + radius);
      pen.closePath();
    },
    outlier: () => {
      pen.moveTo(x - radius, y - radius); pen.lineTo(x + radius, y + radius);
      pen.moveTo(x - radius, y + radius); pen.lineTo(x + radius, y - radius);
    },
  };
  pen.beginPath();
  paths[label]();
  if (label === "inlier" || label === "gained") {
    pen.lineWidth = 1.6;
    pen.strokeStyle = "rgb(0 0 0 / 65%)";
    pen.stroke();
    pen.fillStyle = fill;
    pen.fill();
  } else {
    strokeTwice(pen, () => {}, fill, 1.5);
  }
}

// In dark under the colour: to be seen on any picture.
function strokeTwice(pen, trace, stroke, width) {
  trace();
  pen.strokeStyle = "rgb(0 0 0 / 60%)";
  pen.lineWidth = width + 1.6;
  pen.stroke();
  pen.strokeStyle = stroke;
  pen.lineWidth = width;
  pen.stroke();
}

const PREDICTION = "#ffe14d";

// A line with its band, or a place with its ellipse; `scale` in pixels of the screen.
function drawPrediction(pen, prediction, toScreen, scale) {
  pen.fillStyle = "rgb(255 225 77 / 28%)";
  if (prediction.line) {
    const [a, b, c] = prediction.line;
    const [u, v] = toScreen([-a * c, -b * c]);
    const far = 1e5;
    const ends = [[u - far * b, v + far * a], [u + far * b, v - far * a]];
    const half = prediction.halfWidth * scale;
    pen.beginPath();
    pen.moveTo(ends[0][0] + half * a, ends[0][1] + half * b);
    pen.lineTo(ends[1][0] + half * a, ends[1][1] + half * b);
    pen.lineTo(ends[1][0] - half * a, ends[1][1] - half * b);
    pen.lineTo(ends[0][0] - half * a, ends[0][1] - half * b);
    pen.fill();
    strokeTwice(pen, () => { pen.beginPath(); pen.moveTo(...ends[0]); pen.lineTo(...ends[1]); }, PREDICTION, 1.4);
  } else {
    const centre = toScreen(prediction.place);
    const axes = prediction.axes.map((axis) => Math.max(axis * scale, 3));
    pen.beginPath();
    pen.ellipse(...centre, ...axes, prediction.angle, 0, 2 * Math.PI);
    pen.fill();
    strokeTwice(pen, () => {}, PREDICTION, 1.4);
    strokeTwice(pen, () => {
      pen.beginPath();
      for (const [dx, dy] of [[5, 0], [0, 5]]) {
        pen.moveTo(centre[0] - dx, centre[1] - dy);
        pen.lineTo(centre[0] + dx, centre[1] + dy);
      }
    }, PREDICTION, 1.4);
  }
}
