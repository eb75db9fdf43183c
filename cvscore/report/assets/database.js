"use strict";
// The page of a database: sorts, filters and shows its pairs.

const data = readData();
const ROWS_AT_ONCE = 200; // more make a browser slow, and nobody reads them
const REJECTED = new Set(["DEGENERATE", "UNDEFINED", "NOT_VERIFIED"]);
const pairs = data.first.map((_, i) => ({
  index: i,
  names: [data.images[data.first[i]], data.images[data.second[i]]],
  thumbnails: [data.first[i], data.second[i]].map((image) => data.thumbnails[image] ?? null),
  matches: data.matches[i],
  inliers: data.inliers[i],
  share: data.matches[i] ? data.inliers[i] / data.matches[i] : 0,
  configuration: data.configurations[i],
  isRejected: REJECTED.has(data.configurations[i]),
  scale: data.scales[i],
  evidence: data.evidence[i],
  reason: data.reasons[i],
}));
const COLUMNS = [
  { key: "name", title: "Pair", value: (pair) => pair.names.join("\n") },
  { key: "matches", title: "Matches", value: (pair) => pair.matches },
  { key: "inliers", title: "Inliers", value: (pair) => pair.inliers },
  { key: "share", title: "Share", value: (pair) => pair.share },
  { key: "result", title: "Result", value: (pair) => pair.configuration + pair.reason },
  { key: "scale", title: "Noise, px", value: (pair) => pair.scale },
  { key: "evidence", title: "Evidence, nats", value: (pair) => pair.evidence },
];
const state = { key: "inliers", isAscending: true, limit: ROWS_AT_ONCE };

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function spoken(configuration) {
  return configuration.toLowerCase().replaceAll("_", " ");
}

function compare(a, b) {
  const { value } = COLUMNS.find((column) => column.key === state.key);
  const [one, two] = [value(a), value(b)];
  if (one === null || two === null) return (one === null) - (two === null); // unknown: last
  let order = typeof one === "string" ? one.localeCompare(two) : one - two;
  if (!state.isAscending) order = -order;
  return order || b.matches - a.matches || a.index - b.index;
}

function chosen() {
  const text = byId("text").value.toLowerCase();
  const result = byId("configuration").value;
  const least = Number(byId("least").value);
  const accepts = {
    all: () => true,
    accepted: (pair) => !pair.isRejected,
    rejected: (pair) => pair.isRejected,
  }[result] ?? ((pair) => pair.configuration === result);
  return pairs
    .filter((pair) => accepts(pair) && pair.inliers >= least)
    .filter((pair) => pair.names.some((name) => name.toLowerCase().includes(text)))
    .sort(compare);
}

function row(pair) {
  const made = element("tr", pair.isRejected ? "rejected" : "");
  const cell = element("td");
  const both = element("div", "pair");
  if (data.thumbnails.length) {
    const box = element("div", "thumbnails");
    pair.thumbnails.forEach((source, side) => {
      const picture = element(source ? "img" : "div", source ? "" : "none");
      if (source) Object.assign(picture, { src: source, alt: pair.names[side] });
      box.append(picture);
    });
    both.append(box);
  }
  const names = element("div", "names");
  for (const name of pair.names) names.append(element("div", "", name));
  both.append(names);
  cell.append(both);
  const share = element("td", "number");
  const bar = element("span", "share");
  const filled = element("i");
  filled.style.width = `${100 * pair.share}%`;
  bar.append(filled);
  share.append(bar, element("span", "percent", `${Math.round(100 * pair.share)} %`));
  const result = element("td", "result", spoken(pair.configuration));
  if (pair.reason) result.append(element("span", "reason", pair.reason));
  made.append(cell, element("td", "number", pair.matches), element("td", "number", pair.inliers), share, result,
    element("td", "number", digits(pair.scale)), element("td", "number", digits(pair.evidence)));
  return made;
}

function show() {
  const found = chosen();
  byId("rows").replaceChildren(...found.slice(0, state.limit).map(row));
  byId("count").textContent = `${found.length} of ${pairs.length} pairs`;
  const left = found.length - state.limit;
  byId("more").hidden = left <= 0;
  byId("more").textContent = `Show more (${left} left)`;
  for (const { key } of COLUMNS) {
    const head = byId(`column-${key}`);
    if (key === state.key) head.setAttribute("aria-sort", state.isAscending ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
    head.querySelector(".arrow").textContent = key === state.key ? (state.isAscending ? " ▲" : " ▼") : "";
  }
}

function addTile(name, value, note) {
  const tile = element("div", "tile");
  const dd = element("dd");
  dd.append(element("div", "value", value), element("div", "small muted", note));
  tile.append(element("dt", "", name), dd);
  byId("tiles").append(tile);
}

function setUp() {
  byId("title").textContent = data.name;
  const accepted = pairs.filter((pair) => !pair.isRejected);
  const sum = (key) => pairs.reduce((total, pair) => total + pair[key], 0);
  const inliers = accepted.map((pair) => pair.inliers).sort((a, b) => a - b);
  addTile("Pairs", pairs.length, `of ${data.images.length} images`);
  addTile("Accepted", accepted.length, `${pairs.length - accepted.length} rejected or not verified`);
  addTile("Inliers", sum("inliers"), `of ${sum("matches")} matches`);
  addTile("Median pair", inliers.length ? inliers[Math.floor(inliers.length / 2)] : "–", "inliers, of the accepted");

  for (const { key, title } of COLUMNS) {
    const head = element("th", key === "name" || key === "result" ? "" : "number");
    head.id = `column-${key}`;
    head.scope = "col";
    const button = element("button", "", title);
    button.type = "button";
    button.append(element("span", "arrow"));
    button.addEventListener("click", () => {
      state.isAscending = state.key === key ? !state.isAscending : true;
      state.key = key;
      show();
    });
    head.append(button);
    byId("columns").append(head);
  }
  const results = [...new Set(data.configurations)].sort();
  for (const [value, text] of [["all", "all"], ["accepted", "accepted"], ["rejected", "rejected or not verified"],
    ...results.map((name) => [name, spoken(name)])]) {
    const option = element("option", "", text);
    option.value = value;
    byId("configuration").append(option);
  }
  for (const id of ["text", "configuration", "least"]) {
    byId(id).addEventListener("input", () => { state.limit = ROWS_AT_ONCE; show(); });
  }
  byId("more").addEventListener("click", () => { state.limit += ROWS_AT_ONCE; show(); });
}

setUp();
show();
setUpTheme(byId("theme"));
