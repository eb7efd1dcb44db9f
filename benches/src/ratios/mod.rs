//! Comparisons that print ratios. Both sides are measured in turn, in the same process and the same minute; the ratio is the
//! median of the rounds. Absolute times are shown beside it, and mean nothing on another machine.

pub mod cid;
pub mod embedded;
pub mod envelope;
pub mod loopback;
pub mod recovery;
pub mod scale;
pub mod store;

use std::time::Instant;

/// How long a subject is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A part of five minutes.
    Short,
    /// Enough for a profile.
    Long,
}

impl Effort {
    /// The rounds of a comparison.
    pub fn rounds(self) -> usize {
        match self {
            Effort::Short => 7,
            Effort::Long => 25,
        }
    }
}

/// One side of a comparison: returns the seconds of one unit of work.
pub type Side<'a> = &'a mut dyn FnMut() -> f64;

/// The median seconds of a side, and its speed against another.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// The seconds of one unit of our work.
    pub ours: f64,
    /// The seconds of one unit of the other's work.
    pub other: f64,
    /// The other's time divided by ours: above 1 we are faster.
    pub speed: f64,
    /// The lower and the upper quartile of that.
    pub quartiles: [f64; 2],
}

/// Measures our side and each of the others in turn, after one round that is not counted.
pub fn compare<const N: usize>(rounds: usize, ours: Side<'_>, mut others: [Side<'_>; N]) -> [Ratio; N] {
    let mut own = Vec::new();
    let mut theirs: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
    for round in 0..=rounds {
        let time = ours();
        for (other, times) in others.iter_mut().zip(&mut theirs) {
            let time = other();
            if round > 0 {
                times.push(time);
            }
        }
        if round > 0 {
            own.push(time);
        }
    }
    theirs.map(|times| {
        let mut speeds: Vec<f64> = own.iter().zip(&times).map(|(own, other)| other / own).collect();
        speeds.sort_by(f64::total_cmp);
        let at = |part: f64| speeds[((speeds.len() - 1) as f64 * part).round() as usize];
        Ratio { ours: median(&own), other: median(&times), speed: at(0.5), quartiles: [at(0.25), at(0.75)] }
    })
}

/// The median.
pub fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The seconds of one of `count` repetitions.
pub fn seconds_each(count: u32, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..count {
        work();
    }
    start.elapsed().as_secs_f64() / f64::from(count)
}

/// The slope of the line through the logarithms of sizes and costs: 0 is constant, 1 is linear.
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let points: Vec<(f64, f64)> = points.iter().map(|(size, cost)| (size.log10(), cost.log10())).collect();
    let count = points.len() as f64;
    let (x, y) =
        (points.iter().map(|p| p.0).sum::<f64>() / count, points.iter().map(|p| p.1).sum::<f64>() / count);
    let over: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    over / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// A time in the unit that suits it.
pub fn show(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.2} µs", s * 1e6),
    }
}

/// Prints the head of a table of ratios.
pub fn print_head() {
    println!("| work | compared with | speed | quartiles | time | ours | other |");
    println!("|---|---|---|---|---|---|---|");
}

/// Prints a row of a table of ratios.
pub fn print_row(work: &str, other: &str, ratio: &Ratio) {
    let Ratio { ours, other: theirs, speed, quartiles: [low, high] } = ratio;
    let (ours, theirs) = (show(*ours), show(*theirs));
    println!(
        "| {work} | {other} | {speed:.2} | {low:.2} to {high:.2} | {:.2} | {ours} | {theirs} |",
        1.0 / speed
    );
}

/// Prints what the machine offers.
pub fn print_machine() {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("processor: {}, {cores} cores; {}", model.trim_start_matches([' ', '\t', ':']), features());
}

#[cfg(target_arch = "x86_64")]
fn features() -> String {
    let known = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("avx512", std::arch::is_x86_feature_detected!("avx512f")),
        ("avx512ifma", std::arch::is_x86_feature_detected!("avx512ifma")),
        ("sha_ni", std::arch::is_x86_feature_detected!("sha")),
    ];
    known.map(|(name, has)| format!("{name} {}", if has { "yes" } else { "no" })).join(", ")
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> String {
    std::env::consts::ARCH.to_owned()
}
