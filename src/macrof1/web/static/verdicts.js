// The audit of a report: its verdict in words and colour, and what each formula could be.

import { el } from "./dom.js";

export const VERDICTS = { averaged_f1: "averaged F1", f1_of_averages: "F1 of averages", either: "either formula", neither: "neither formula" };
const COLOURS = { averaged_f1: "averaged-text", f1_of_averages: "of-averages-text" };

export const colourOf = (verdict) => COLOURS[verdict] ?? "";
export const badge = (report) => el("span", { class: `badge ${report.findings.length ? "bad" : colourOf(report.verdict)}` }, VERDICTS[report.verdict]);

// The columns after the name in every table of audited reports.
export const COLUMNS = {
  verdict: { title: "verdict", term: "verdict", text: true, value: badge },
  printed: { title: "printed", value: (report) => report.published ?? "–" },
  averaged: { title: "averaged F1", term: "averaged", value: (report) => report.shown.averaged_f1 },
  ofAverages: { title: "F1 of averages", term: "of-averages", value: (report) => report.shown.f1_of_averages },
};
