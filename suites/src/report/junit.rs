//! The report for CI: `JUnit` XML, one suite per service and group, one case per outcome.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::terminal::plain_detail;
use super::{by_group, group, one_line, redacted};
use crate::verdict::{Outcome, Run, Verdict};

/// The run as XML, without times or unique ids. A warning passes and tells its story as output; what does not apply
/// or cannot be tested is skipped, and so is a failure that the baseline knows.
pub fn write(run: &Run) -> String {
    let run = &*redacted(run);
    let mut report = Report::new("assay");
    for (name, outcomes) in by_group(run) {
        let mut suite = TestSuite::new(name);
        suite.add_property(("target", one_line(run.target.as_bytes()).as_str()));
        suite.add_property(("seed", run.seed.to_string().as_str()));
        // A client is shown several facts of one requirement; a viewer needs a name for each.
        let of = |one: &Outcome| outcomes.iter().filter(|other| other.requirement == one.requirement).count();
        suite.add_test_cases(outcomes.iter().map(|one| case(one, of(one) > 1)));
        report.add_test_suite(suite);
    }
    report.to_string().expect("a report in memory can be written")
}

fn case(outcome: &Outcome, with_fact: bool) -> TestCase {
    let mut status = match outcome.verdict {
        Verdict::Pass | Verdict::Warn => TestCaseStatus::success(),
        Verdict::Fail | Verdict::Inconclusive | Verdict::UnexpectedPass => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        Verdict::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::NotApplicable | Verdict::NotTestable | Verdict::KnownFailure => TestCaseStatus::skipped(),
    };
    let is_success = matches!(status, TestCaseStatus::Success { .. });
    if !is_success {
        let reason = one_line(outcome.reason.as_bytes());
        status.set_type(outcome.verdict.name());
        status.set_message(format!("{}: {reason}", outcome.verdict.name()));
        status.set_description(plain_detail(outcome));
    }
    let id = outcome.requirement.to_string();
    let name = if with_fact { format!("{id} {}", outcome.fact) } else { id };
    let mut case = TestCase::new(name, status);
    case.set_classname(group(outcome.requirement));
    if outcome.verdict == Verdict::Warn {
        case.set_system_out(plain_detail(outcome));
    }
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn a_run_with_everything() {
        let text = write(&example::run());
        assert!(!text.contains(example::TOKEN));
        insta::assert_snapshot!(example::shorten(&text), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="assay" tests="7" skipped="2" failures="2" errors="1">
            <testsuite name="publish.first-group" tests="4" skipped="2" errors="0" failures="1">
                <properties>
                    <property name="target" value="http://127.0.0.1:4101"/>
                    <property name="seed" value="18446744073709551615"/>
                </properties>
                <testcase name="publish.first-group.holds" classname="publish.first-group"/>
                <testcase name="publish.first-group.second-is-refused" classname="publish.first-group">
                    <failure message="fail: the second was accepted" type="fail">fail publish.first-group.second-is-refused  second_prepare_is_refused
          A second &lt;one&gt; is refused. (must, document 3, Exchange)
          reason   the second was accepted
          at       status of exchange 2
          want     409
          got      200
          why      prepare: the lock was free
          exchange 1 of 2, http://127.0.0.1:4101
            &gt; PUT / HTTP/1.1
            &gt; Host: 127.0.0.1:4101
            &gt; Content-Length: 2
            &gt; Connection: close
            &gt;
            &gt; \0\xff
            ! no complete answer within 15 s
          exchange 2 of 2, http://127.0.0.1:4101
            &gt; POST /prepare HTTP/1.1
            &gt; Host: 127.0.0.1:4101
            &gt; Authorization: Bearer [redacted token]
            &gt; Content-Length: 5008
            &gt; Connection: close
            &gt;
            &gt; {&quot;n&quot;:1}
            &gt; (1992 times x)
            &gt; … 3008 bytes more, 5008 in all
            &lt; 200
            &lt; content-type: application/json
            &lt; x: \xff
            &lt;
            &lt; {&quot;error&quot;:&quot;\u{1b}[31mred [redacted token]&quot;}
          repeat   curl -sS -i --http1.1 --path-as-is --request-target /prepare -X POST -H &quot;Authorization: Bearer $ASSAY_KEY&quot; -H &apos;Connection: close&apos; -H &apos;Accept:&apos; -H &apos;User-Agent:&apos; -H &apos;Content-Type:&apos; -H &apos;Expect:&apos; --data-binary $&apos;{&quot;n&quot;:1}\n(5000 times x)&apos; http://127.0.0.1:4101
        </failure>
                </testcase>
                <testcase name="publish.first-group.needs-time it_ends" classname="publish.first-group">
                    <skipped message="not-testable: needs control level T2" type="not-testable">not-testable publish.first-group.needs-time  it_ends
          It ends after a while. (must, document 3, Exchange)
          reason   needs control level T2
        </skipped>
                </testcase>
                <testcase name="publish.first-group.needs-time it_ends_late" classname="publish.first-group">
                    <skipped message="not-testable: needs control level T2" type="not-testable">not-testable publish.first-group.needs-time  it_ends_late
          It ends after a while. (must, document 3, Exchange)
          reason   needs control level T2
        </skipped>
                </testcase>
            </testsuite>
            <testsuite name="publish.other" tests="3" skipped="0" errors="1" failures="1">
                <properties>
                    <property name="target" value="http://127.0.0.1:4101"/>
                    <property name="seed" value="18446744073709551615"/>
                </properties>
                <testcase name="publish.other.answers it_answers" classname="publish.other">
                    <system-out>warn publish.other.answers  it_answers
          It answers. (must, document 3, Exchange)
          reason   it answers slowly
        </system-out>
                </testcase>
                <testcase name="publish.other.twin" classname="publish.other">
                    <failure message="inconclusive: the twin got 500" type="inconclusive">inconclusive publish.other.twin  fault_is_refused
          The fault alone is refused. (must, document 3, Exchange)
          reason   the twin got 500
          exchange 1 of 1, http://127.0.0.1:4101
            &gt; PUT / HTTP/1.1
            &gt; Host: 127.0.0.1:4101
            &gt; Content-Length: 2
            &gt; Connection: close
            &gt;
            &gt; \0\xff
            ! no complete answer within 15 s
        </failure>
                </testcase>
                <testcase name="publish.other.answers it_connects" classname="publish.other">
                    <error message="error: cannot connect: refused" type="error">error publish.other.answers  it_connects
          It answers. (must, document 3, Exchange)
          reason   cannot connect: refused
        </error>
                </testcase>
            </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn what_xml_cannot_hold_is_gone() {
        let mut run = example::run();
        run.outcomes[1].reason = "\0\u{1b}[0m\u{fffe}]]><&".into();
        let text = write(&run);
        assert!(text.contains("\\0\\u{1b}[0m"), "{text}");
        let allowed = |c: char| matches!(c, '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
        assert!(text.chars().all(allowed));
    }
}
