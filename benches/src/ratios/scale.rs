//! Cost against size. The slope is that of the logarithms: of the cost of one unit it is 0 if the whole grows linearly.

use std::fs;
use std::time::Instant;

use assay_sim::World;
use assay_sim::clock::EPOCH;
use assay_sim::serve::ClockMode;
use assay_spec::Dialect;
use assay_spec::instant::HOUR;
use serde_json::json;

use super::recovery::{history, recover, wallet};
use super::{Effort, cid, median, seconds_each, show, slope, store};
use crate::serving::{Clients, Framing, HEALTH, simulator};
use crate::{CHAIN, advance};

/// The repetitions of each measurement.
const ROUNDS: usize = 3;

/// Prints the cost of one unit at each size, and the slopes.
pub fn print(effort: Effort) {
    println!("\nScale: messages in a store\n");
    let all = [1_000, 10_000, 100_000, 1_000_000];
    let figures = store::print(if effort == Effort::Long { &all } else { &all[..3] });
    println!("\nScale: the cost of one unit\n");
    println!("| unit | sizes | cost of one | slope |\n|---|---|---|---|");
    for (name, slope) in figures.slopes {
        println!("| a query {name} | messages in the store | (above) | {slope:+.2} |");
    }
    println!("| a message stored | messages in the store | (above) | {:+.2} |", figures.fill);
    let sizes: &[u64] = if effort == Effort::Long { &[100, 1_000, 10_000] } else { &[100, 300, 1_000] };
    print_slope("a deployment recovered", sizes, |size| {
        let (messages, wallet) = (history(size), wallet());
        seconds_each(1, || drop(recover(&messages, &wallet)))
    });
    print_slope("a deployment of an owner, written and stored", sizes, |size| {
        let mut world = World::new(1, EPOCH, Dialect::default());
        let begun = Instant::now();
        world.perform("hosting.history", &json!({ "deployments": size })).expect("a new user");
        advance(&mut world, HOUR);
        begun.elapsed().as_secs_f64()
    });
    print_slope("a file of a folder, identified", &[100, 1_000, 10_000], |size| {
        let folder = tempfile::tempdir().expect("a folder for the files");
        for n in 0..size {
            fs::write(folder.path().join(format!("{n}.txt")), n.to_string()).expect("space for a file");
        }
        cid::assay(folder.path());
        seconds_each(1, || drop(cid::assay(folder.path())))
    });
    // Each connection has two ends in this process, which may have a lower limit.
    let all = [1, 10, 100, 1_000, 9_900];
    let fitting = all.iter().filter(|size| **size * 2 + 100 <= open_files()).count();
    print_slope("a request, this many connections open", &all[..fitting], |size| {
        let world = World::new(1, EPOCH, Dialect::default());
        let address = simulator(world, CHAIN, ClockMode::Real);
        let mut clients = Clients::open(address, size as usize, HEALTH, Framing::Same);
        let requests = 8_000.max(size);
        clients.run(requests);
        clients.run(requests).as_secs_f64() / requests as f64 * size as f64
    });
}

/// How many files this process may open.
fn open_files() -> u64 {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().next()).and_then(|soft| soft.parse().ok());
    soft.unwrap_or(1_024)
}

/// Measures the seconds of `size` units at each size.
fn print_slope(unit: &str, sizes: &[u64], measure: impl Fn(u64) -> f64) {
    let cost = |size: &u64| {
        let times: Vec<f64> = (0..ROUNDS).map(|_| measure(*size) / *size as f64).collect();
        (*size as f64, median(&times))
    };
    let points: Vec<(f64, f64)> = sizes.iter().map(cost).collect();
    let shown: Vec<String> = sizes.iter().map(u64::to_string).collect();
    let costs: Vec<String> = points.iter().map(|(_, cost)| show(*cost)).collect();
    println!("| {unit} | {} | {} | {:+.2} |", shown.join(", "), costs.join(", "), slope(&points));
}
