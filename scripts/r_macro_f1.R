# What R packages print as macro F1: Rscript r_macro_f1.R yardstick|caret CLASSES, lines "GOLD PREDICTED" of digits in;
# the version and then one number for every line out.
arguments <- commandArgs(trailingOnly = TRUE)
levels <- as.character(seq(0, as.integer(arguments[2]) - 1))
sides <- strsplit(readLines("stdin"), " ")
labels <- function(side) factor(strsplit(side, "")[[1]], levels = levels)
score <- if (arguments[1] == "yardstick") {
  function(gold, predicted) yardstick::f_meas_vec(gold, predicted, estimator = "macro")
} else {
  # With more than two classes it computes nothing else here: its summary also wants probabilities of two.
  function(gold, predicted) caret::multiClassSummary(data.frame(obs = gold, pred = predicted), lev = levels)[["Mean_F1"]]
}
cat(as.character(packageVersion(arguments[1])), "\n")
for (each in sides) {
  cat(format(suppressWarnings(score(labels(each[1]), labels(each[2]))), digits = 17), "\n")
}
