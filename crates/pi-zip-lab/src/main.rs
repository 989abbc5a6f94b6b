//! Scratch.
use pi_zip_lab::policy::*;
use pi_zip_lab::recording::Recording;
use pi_zip_lab::rates::*;
use pi_zip_lab::replay::*;

fn main() {
	let out = std::env::var("OUT").ok().and_then(|text| text.parse().ok()).unwrap_or(5.0);
	let mut sums = vec![0.0; 4];
	let mut ratios = vec![0.0; 4];
	let mut count = 0.0;
	for path in std::env::args().skip(1) {
		let bytes = std::fs::read(&path).expect("file");
		let start = std::time::Instant::now();
		let recording = Recording::of(pi_zip_lab::session_file::read(&bytes).expect("session"));
		let parsed = start.elapsed();
		let _ = out;
		let rates = match std::env::var("OWN") {
			Ok(_) => RateBook::observed(&recording),
			Err(_) => RateBook::uniform(Rates::positional(0.1, 1.25, 300_000)),
		};
		let plain = replay(&recording, &mut Plain, &rates);
		let known = replay(&recording, &mut KnownRule::default(), &rates);
		let shipped = replay(&recording, &mut Shipped::default(), &rates);
		let one = start.elapsed();
		let clair = bound(&recording, &rates, &[]);
		println!(
			"{:32} n {:4} plain {:10.0} peak {:7.0} known {:.3} m{} f{} shipped {:.3} m{} f{} clair {:.3} m{} f{} {:?} {:?} {:?}",
			path.rsplit('/').next().unwrap_or(""),
			recording.requests.len(),
			plain.cost,
			plain.peak,
			known.cost / plain.cost, known.misses, known.folds,
			shipped.cost / plain.cost, shipped.misses, shipped.folds,
			clair.cost / plain.cost, clair.misses, clair.folds,
			parsed, one, start.elapsed()
		);
		count += 1.0;
		for (at, replay) in [&plain, &known, &shipped, &clair].into_iter().enumerate() {
			sums[at] += replay.cost;
			ratios[at] += replay.cost / plain.cost;
		}
	}
	for at in 0..4 {
		println!("mean {:.3} volume {:.3}", ratios[at] / count, sums[at] / sums[0]);
	}
}
