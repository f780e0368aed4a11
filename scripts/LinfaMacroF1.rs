// Print the F1 of linfa's confusion matrix for lines such as "000112 001130": gold and predicted labels as digits.
// main.rs of a crate that depends on linfa and ndarray; its program is what record_peers.py --linfa runs.
use linfa::prelude::*;
use ndarray::Array1;
use std::io::BufRead;

fn labels(digits: &str) -> Array1<usize> {
    digits.bytes().map(|digit| usize::from(digit - b'0')).collect()
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (gold, predicted) = line.split_once(' ').unwrap();
        println!("{}", labels(predicted).confusion_matrix(&labels(gold)).unwrap().f1_score());
    }
}
