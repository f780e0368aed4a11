// The parts of the gap: classes, pairs of classes, and what other tools would print.

import { $, el, list, percentOf, score, table, whole } from "./dom.js";

export function breakdown(answer) {
  table($("classes"), [
    { title: "class", head: true, value: (record) => record.label },
    { title: "precision", term: "precision", value: (record) => score(record.precision) },
    { title: "recall", term: "recall", value: (record) => score(record.recall) },
    { title: "F1", term: "f1", value: (record) => score(record.f1) },
    { title: "gold", term: "gold", value: (record) => whole(record.actual) },
    { title: "predicted", value: (record) => whole(record.predicted) },
    { title: "correct", value: (record) => whole(record.tp) },
    { title: "share of the gap", term: "share", value: (record) => score(record.gap_share) },
    { title: "leaning", term: "leaning", text: true, value: (record) => (record.leaning === "neither" ? "" : record.leaning) },
    { title: "share", text: true, value: (record) => {
      const bar = el("span", { class: "share", "aria-hidden": "true" });
      bar.style.width = `${(percentOf(record.gap_share, answer.gap) * 0.09).toFixed(2)}rem`;
      return bar;
    } },
  ], answer.per_class);
  list($("pair-list"), answer.pairs.slice(0, 5).map((pair) => `${pair.over_precise} (over-precise) and ${pair.over_recalled} (over-recalled): ${score(pair.contribution)}`));
  table($("conventions"), [
    { title: "macro F1", head: true, value: (group) => score(group.value) },
    { title: "printed by", text: true, value: (group) => group.names.join(", ") },
    { title: "because", text: true, value: (group) => group.reason },
  ], answer.conventions ? byReason(answer.conventions) : []);
  $("conventions-hint").textContent = (answer.conventions?.notes ?? []).join(" ");
}

// Tools that print the same number for different reasons get separate lines.
function byReason({ groups, conventions }) {
  const reasons = new Map(conventions.map((one) => [one.name, one.reason ?? ""]));
  return groups.flatMap((group) => {
    const found = new Map();
    for (const name of group.names) {
      const reason = reasons.get(name) ?? "";
      if (!found.has(reason)) found.set(reason, { value: group.value, reason, names: [] });
      found.get(reason).names.push(name);
    }
    return [...found.values()];
  });
}
