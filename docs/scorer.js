// Sphinx ranks a word in any heading of a page like a word in its title. Here the title counts most.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([, title, , , score]) => {
    const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const asked = words(new URLSearchParams(location.search).get("q") ?? "");
    const own = new Set(words(title));
    return score + (20 * asked.filter((word) => own.has(word)).length) / (asked.length || 1);
  },
};
