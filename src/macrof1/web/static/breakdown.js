// The parts of the gap: classes and pairs of classes.

import { $, el, named, percentOf, score, table, whole } from "./dom.js";

const MOST = 30;
const TOLD = 10;
let isWhole = false; // whether all classes are shown, where there are many
let last = null;

// Many classes: the ten that make the most of the gap come first, and the rest on demand.
export function breakdown(answer) {
  last = answer;
  const many = answer.per_class.length > MOST;
  const byShare = [...answer.per_class].sort((one, other) => other.gap_share - one.gap_share);
  $("all-classes").hidden = !many;
  $("all-classes").textContent = isWhole ? `Only the ${TOLD} ${answer.unit[1]} that make the most of the gap` : `All ${whole(answer.per_class.length)} ${answer.unit[1]}`;
  $("all-classes").onclick = () => { isWhole = !isWhole; breakdown(last); };
  table($("classes"), [
    { title: answer.unit[0], head: true, sort: (record) => String(record.label), value: (record) => String(record.label) },
    { title: "precision", term: "precision", sort: (record) => record.precision, value: (record) => score(record.precision) },
    { title: "recall", term: "recall", sort: (record) => record.recall, value: (record) => score(record.recall) },
    { title: "F1", term: "f1", sort: (record) => record.f1, value: (record) => score(record.f1) },
    { title: "gold", term: "gold", sort: (record) => record.actual, value: (record) => whole(record.actual) },
    { title: "predicted", sort: (record) => record.predicted, value: (record) => whole(record.predicted) },
    { title: "correct", sort: (record) => record.tp, value: (record) => whole(record.tp) },
    { title: "share of the gap", term: "share", sort: (record) => record.gap_share, value: (record) => score(record.gap_share) },
    { title: "leaning", term: "leaning", text: true, value: (record) => (record.leaning === "neither" ? "" : record.leaning) },
    { title: "share", text: true, value: (record) => {
      const bar = el("span", { class: "share", "aria-hidden": "true" });
      bar.style.width = `${(percentOf(record.gap_share, answer.gap) * 0.09).toFixed(2)}rem`;
      return bar;
    } },
  ], !many ? answer.per_class : isWhole ? byShare : byShare.slice(0, TOLD));
  $("pair-list").replaceChildren(...answer.pairs.slice(0, 5).map((pair) => el("li", {}, named(pair.over_precise), " (over-precise) and ", named(pair.over_recalled), ` (over-recalled): ${score(pair.contribution)}`)));
}
