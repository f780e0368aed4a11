// Two rankings as a slope chart, and the rows of an audited leaderboard, drawn here to be interactive.

import { fixed, score, svg } from "./dom.js";
import { frame, shorten, widthOf } from "./drawings.js";

// Systems of equal rank share a position, with their dots side by side.
function places(systems, key) {
  const groups = new Map();
  for (const system of [...systems].sort((one, other) => one[key] - other[key])) {
    if (!groups.has(system[key])) groups.set(system[key], []);
    groups.get(system[key]).push(system.name);
  }
  const found = new Map();
  let row = 0;
  for (const names of groups.values()) {
    names.forEach((name, index) => found.set(name, { row: row + index, tied: names.length > 1 }));
    row += names.length;
  }
  return found;
}

// opened(name) is called when a system is selected; flips are the pairs whose order differs.
export function slope(target, systems, flips, { opened = null, found = "" } = {}) {
  const width = widthOf(target, 900);
  const step = systems.length > 60 ? 14 : 19;
  const [top, side] = [32, Math.min(250, width * 0.36)];
  const height = top + step * systems.length + 12;
  const [left, right] = [side, width - side];
  const y = (row) => top + step * (row + 0.5);
  const drawing = frame(target, width, height,
    `Rank of ${systems.length} systems under averaged F1 (left) and under F1 of averages (right); the table of systems has the numbers`);
  drawing.append(svg("text", { class: "t-averaged", x: Math.max(90, left), y: 18, "text-anchor": "end" }, "averaged F1"));
  drawing.append(svg("text", { class: "t-of-averages", x: Math.min(right, width - 110), y: 18 }, "F1 of averages"));
  const ours = places(systems, "rank_averaged_f1");
  const theirs = places(systems, "rank_f1_of_averages");
  const flipping = new Set(flips.flatMap((flip) => [flip.averaged_f1_prefers, flip.f1_of_averages_prefers]));
  const most = Math.floor((side - 66) / 7);
  const wanted = found.trim().toLowerCase();
  for (const system of systems) {
    const [from, to] = [y(ours.get(system.name).row), y(theirs.get(system.name).row)];
    const isFound = wanted && system.name.toLowerCase().includes(wanted);
    const side = !flipping.has(system.name) || !system.rank_change ? "" : system.rank_change > 0 ? " rises" : " falls";
    const group = svg("g", { class: `system${side}${isFound ? " found" : ""}${opened ? " opens" : ""}` },
      svg("title", {}, `${system.name}: averaged F1 ${score(system.averaged_f1)}, rank ${system.rank_averaged_f1}; F1 of averages ${score(system.f1_of_averages)}, rank ${system.rank_f1_of_averages}${opened ? ". Click for its matrix" : ""}`),
      svg("path", { class: "reach", d: `M${left + 6} ${from}L${right - 6} ${to}` }),
      svg("path", { class: "slope", d: `M${left + 6} ${from}L${right - 6} ${to}` }),
      svg("circle", { class: "mark-averaged", cx: left + 6, cy: from, r: 3.6 }),
      svg("circle", { class: "mark-of-averages", cx: right - 6, cy: to, r: 3.6 }),
      svg("text", { class: "soft", x: left - 2, y: from + 4, "text-anchor": "end" }, `${shorten(system.name, most)}  ${score(system.averaged_f1)}`),
      svg("text", { class: "soft", x: right + 2, y: to + 4 }, `${score(system.f1_of_averages)}  ${shorten(system.name, most)}`));
    if (opened) group.addEventListener("click", () => opened(system.name));
    drawing.append(group);
  }
}

const averaged = (cx, cy) => svg("circle", { class: "mark-averaged", cx, cy, r: 4 });
const ofAverages = (cx, cy) => svg("path", { class: "mark-of-averages", d: `M${cx} ${cy - 5}l5 5l-5 5l-5 -5z` });
const ring = (cx, cy) => svg("circle", { class: "ring", cx, cy, r: 7 });

// Each formula's value for every row of a leaderboard, and the printed one.
export function rows(target, audited) {
  const drawn = audited.filter((row) => row.averaged_f1).slice(0, 60);
  if (!drawn.length) {
    target.replaceChildren();
    return;
  }
  const width = widthOf(target, 900);
  const side = Math.min(220, width * 0.36);
  const [top, step] = [40, 19];
  const height = top + step * drawn.length + 30;
  const printed = (row) => (row.published === null ? null : parseFloat(String(row.published).replace(",", ".")) / (row.percent ? 100 : 1));
  const ends = drawn.flatMap((row) => [...row.averaged_f1, ...row.f1_of_averages, printed(row)]).filter((end) => Number.isFinite(end));
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const x = (value) => side + 10 + ((value - low) / (high - low || 1)) * (width - side - 26);
  const drawing = frame(target, width, height, `What each formula gives for ${drawn.length} rows, and what was printed; the table below has the numbers`);
  const shapes = [["averaged F1", averaged], ["F1 of averages", ofAverages], ["as printed", ring]];
  let [across, down] = [12, 12];
  for (const [name, shape] of shapes) {
    const wide = 30 + 7 * name.length;
    if (across + wide > width) [across, down] = [12, 30];
    drawing.append(shape(across, down), svg("text", { class: "soft", x: across + 12, y: down + 4 }, name));
    across += wide;
  }
  drawn.forEach((row, index) => {
    const y = top + step * (index + 0.5);
    const [low, high] = [row.averaged_f1, row.f1_of_averages];
    const span = (kind, [from, to]) => (x(to) - x(from) < 2 ? null : svg("rect", { class: kind, x: x(from), y: y - 2, width: x(to) - x(from), height: 4, "fill-opacity": 0.45 }));
    const middle = ([from, to]) => x((from + to) / 2);
    const value = printed(row);
    drawing.append(svg("g", { class: row.findings.length ? "doubted" : null },
      svg("title", {}, `${row.name}: printed ${row.published ?? "–"}; averaged F1 ${row.shown.averaged_f1}, F1 of averages ${row.shown.f1_of_averages}`),
      svg("text", { class: "soft", x: side, y: y + 4, "text-anchor": "end" }, shorten(row.name, Math.floor(side / 7.6))),
      svg("line", { class: "thin-gap", x1: middle(low), x2: middle(high), y1: y, y2: y }),
      span("mark-averaged", low), span("mark-of-averages", high),
      averaged(middle(low), y), ofAverages(middle(high), y),
      Number.isFinite(value) ? ring(x(value), y) : null));
  });
  const scale = drawn[0].percent ? 100 : 1;
  for (const [value, anchor] of [[low, "start"], [(low + high) / 2, "middle"], [high, "end"]]) {
    drawing.append(svg("text", { class: "soft", x: x(value), y: height - 8, "text-anchor": anchor }, fixed(value * scale, drawn[0].decimals)));
  }
}
