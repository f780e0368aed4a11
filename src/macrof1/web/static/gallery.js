// The gallery: published reports, each with its verdict, why, both scores and a link.

import { ask, complain, quiet } from "./api.js";
import { $, el, table } from "./dom.js";
import { decode, encode, write } from "./state.js";

const VERDICTS = { averaged_f1: "averaged F1", f1_of_averages: "F1 of averages", either: "either formula", neither: "neither formula" };
let cases = null;
let kind = "";

const span = (ends, one) => {
  if (!ends) return "–";
  const shown = ends.map((end) => (end * (one.percent ? 100 : 1)).toFixed(one.decimals ?? 4));
  return shown[0] === shown[1] ? shown[0] : `${shown[0]}–${shown[1]}`;
};

function show() {
  const wanted = $("gallery-find").value.trim().toLowerCase();
  const kept = cases.filter((one) => (!kind || one.verdict === kind) && `${one.name} ${one.source}`.toLowerCase().includes(wanted));
  $("gallery-count").textContent = `${kept.length} of ${cases.length} reports.`;
  table($("gallery-cases"), [
    { title: "report", head: true, value: (one) => el("a", { href: one.link }, one.name) },
    { title: "printed", value: (one) => one.published ?? "–" },
    { title: "verdict", text: true, value: (one) => el("span", { class: `badge ${one.findings.length ? "bad" : ""}` }, VERDICTS[one.verdict]) },
    { title: "averaged F1", value: (one) => span(one.averaged_f1, one) },
    { title: "F1 of averages", value: (one) => span(one.f1_of_averages, one) },
    { title: "why", text: true, value: (one) => one.findings[0]?.message ?? one.reason },
    { title: "source", text: true, value: (one) => one.source },
  ], kept);
}

export async function start() {
  $("gallery-verdict").replaceChildren(el("option", { value: "" }, "any"), ...Object.entries(VERDICTS).map(([value, title]) => el("option", { value }, title)));
  const choose = () => {
    kind = $("gallery-verdict").value;
    write("gallery", { verdict: encode(kind), find: encode($("gallery-find").value.trim()) }, { typed: true });
    if (cases) show();
  };
  $("gallery-verdict").addEventListener("change", choose);
  $("gallery-find").addEventListener("input", choose);
}

export async function open(state) {
  quiet();
  kind = Object.hasOwn(VERDICTS, decode(state.verdict)) ? decode(state.verdict) : "";
  $("gallery-verdict").value = kind;
  $("gallery-find").value = decode(state.find);
  write("gallery", { verdict: encode(kind), find: state.find ?? "" });
  try {
    cases ??= (await ask("/api/gallery")).cases;
    show();
  } catch (error) {
    complain(error);
  }
}
