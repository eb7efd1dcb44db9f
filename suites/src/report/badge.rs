//! A badge with the result of a run.

use crate::harness::data::{Run, Verdict};
use crate::harness::judge::conclusion::{Conclusion, conclude};

const LABEL: &str = "assay";

/// The badge as SVG, without external fonts or links.
pub fn write(run: &Run) -> String {
    let (words, colour) = summary(run);
    let (left, right) = (width(LABEL), width(&words));
    let whole = left + right;
    let text = |x: usize, room: usize, words: &str| {
        format!(
            "<text x=\"{}\" y=\"14\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\">{words}</text>",
            x + room / 2,
            room - PADDING
        )
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" \
         aria-label=\"{LABEL}: {words}\"><title>{LABEL}: {words}</title>\
         <clipPath id=\"r\"><rect width=\"{whole}\" height=\"20\" rx=\"3\"/></clipPath><g clip-path=\"url(#r)\">\
         <rect width=\"{left}\" height=\"20\" fill=\"#444c56\"/>\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{colour}\"/></g>\
         <g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">\
         {}{}</g></svg>\n",
        text(0, left, LABEL),
        text(left, right, &words),
    )
}

const PADDING: usize = 12;

fn width(text: &str) -> usize {
    text.len() * 7 + PADDING
}

/// The label and its background colour; each is readable with white text.
fn summary(run: &Run) -> (String, &'static str) {
    let bad = run.outcomes.iter().filter(|outcome| outcome.is_red()).count();
    let others = bad - run.count(Verdict::Fail);
    let errors = run.count(Verdict::Error);
    match conclude(run).conclusion {
        Conclusion::Conforms | Conclusion::TestedPartConforms | Conclusion::SelectedChecksPassed => {
            (format!("{} pass", run.count(Verdict::Pass)), "#1a6b3c")
        }
        Conclusion::HarnessFailed => (format!("{errors} error"), "#6b3a86"),
        Conclusion::NotEnoughTested if run.is_partial => ("stopped".to_owned(), "#5b636d"),
        Conclusion::NotEnoughTested => ("not enough tested".to_owned(), "#5b636d"),
        Conclusion::DoesNotConform if bad == 0 => ("baseline stale".to_owned(), "#a3231c"),
        Conclusion::DoesNotConform if others == 0 => (format!("{bad} fail"), "#a3231c"),
        Conclusion::DoesNotConform => (format!("{bad} not conforming"), "#a3231c"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    fn with(verdicts: &[Verdict]) -> String {
        let mut run = example::run();
        let sample = run.outcomes[0].clone();
        run.outcomes = verdicts
            .iter()
            .map(|&verdict| crate::harness::data::Outcome { verdict, ..sample.clone() })
            .collect();
        write(&run)
    }

    #[test]
    fn label_shows_the_result() {
        use Verdict::{Error, Fail, Inconclusive, NotTestable, Pass};
        assert!(with(&[Pass, Pass, NotTestable]).contains("<title>assay: 2 pass</title>"));
        assert!(with(&[Pass, Fail, Fail]).contains("<title>assay: 2 fail</title>"));
        assert!(with(&[Fail, Inconclusive]).contains("<title>assay: 2 not conforming</title>"));
        assert!(with(&[Pass, Error]).contains("<title>assay: 1 error</title>"));
        assert!(with(&[NotTestable]).contains("aria-label=\"assay: not enough tested\""));
        assert!(with(&[]).contains("role=\"img\""));
    }
}
