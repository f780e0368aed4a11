// The story: two models on the same comments. A slider moves the errors of one from one kind to the other.

import { $, el, gapText, score, whole } from "./dom.js";
import { lanes } from "./drawings.js";

const ahead = (one, other) => (one > other ? "A" : one < other ? "B" : "neither");

// Which model wins under which formula, and what to report. The class that the story is about comes last.
export function tellStory(answer, rival, { labels, matrix: cells }) {
  const winners = [ahead(answer.averaged_f1, rival.averaged_f1), ahead(answer.f1_of_averages, rival.f1_of_averages)];
  const isFlip = winners[0] !== winners[1];
  const hateful = labels.length - 1;
  const [found, all] = [cells[hateful][hateful], cells.reduce((sum, row) => sum + row[hateful], 0)];
  $("story-rank").classList.toggle("flip", isFlip);
  $("story-rank").textContent = `Finds ${whole(found)} of ${whole(all)} hateful comments. ${isFlip ? "One macro F1 still ranks it first."
    : winners[0] === "A" ? "Both macro F1s rank it first." : "Both macro F1s rank it second."}`;
  const [averaged, ofAverages] = [score(answer.averaged_f1), score(answer.f1_of_averages)];
  $("story-sentence").textContent = `Wherever the slider is, A makes the same 400 errors, and its accuracy is the same. Its two macro F1s ${averaged === ofAverages ? "agree here." : `are ${averaged} and ${ofAverages}: ${gapText(answer.gap)} apart.`}`;
  $("story-matrix").replaceChildren(
    el("caption", {}, "A: predicted ↓ gold →"),
    el("thead", {}, el("tr", {}, el("td"), ...labels.map((label) => el("th", { scope: "col" }, label)))),
    el("tbody", {}, ...cells.map((row, i) => el("tr", {}, el("th", { scope: "row" }, labels[i]),
      ...row.map((cell, j) => el("td", { class: i === j ? "diagonal" : i + j === 3 ? "moving" : null }, whole(cell)))))),
  );
  lanes($("story-axis"), answer, rival); // it is as wide as the matrix leaves room for
}
