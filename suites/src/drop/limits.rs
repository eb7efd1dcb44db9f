//! Checks of the limits per address: drops per hour, drops per day, concurrent uploads.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use assay_spec::drop::requirements::limits as rows;
use assay_spec::instant::DAY;

use super::form::Form;
use super::refusals;
use super::samples::{Sample, noise};
use super::{ACCEPTED, RECEIPT, address, benchmark_address, patient, send, send_any, spend_one, token};
use crate::check::{Check, Checked, Need, Stop};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::HOURLY, drop_11_of_an_hour_is_rejected, refusals::LIMITED)
        .drops(11, 11)
        .writes(11)
        .needs(&[Need::Clock, Need::Isolation]),
    shows!(rows::HOUR_PASSES, hourly_limit_ends_after_an_hour)
        .drops(12, 12)
        .writes(12)
        .needs(&[Need::Clock, Need::Isolation]),
    refuses!(rows::DAILY, drop_21_of_a_day_is_rejected, refusals::LIMITED)
        .drops(22, 22)
        .writes(22)
        .needs(&[Need::Clock, Need::Isolation])
        .after(const { &[&rows::HOURLY] }),
    shows!(rows::PER_ADDRESS, drops_are_counted_per_address).drops(12, 12).writes(12).needs(&[
        Need::Clock,
        Need::Isolation,
        Need::Addresses,
    ]),
    refuses!(rows::IPV6_PREFIX, ipv6_addresses_are_counted_per_64_prefix, refusals::PREFIX)
        .drops(13, 13)
        .writes(13)
        .needs(&[Need::Clock, Need::Isolation, Need::Addresses])
        .after(const { &[&rows::PER_ADDRESS] }),
    refuses!(rows::ONE_UPLOAD, second_concurrent_upload_is_rejected, refusals::LIMITED)
        .drops(3, 3)
        .writes(3)
        .sends(24_000),
];

/// An hour plus some minutes of tolerance.
const HOUR: Duration = Duration::from_mins(65);

/// Moves the clock to ten minutes past midnight, at least a day from now. Earlier drops no longer count, and no hour or
/// day ends soon, whether windows roll or follow the calendar.
async fn morning(probe: &Probe<'_>) -> Result<(), Stop> {
    let now = probe.now().await?;
    let wait_ms = 2 * DAY - now.0.rem_euclid(DAY) + 600_000;
    probe.advance(Duration::from_millis(wait_ms.unsigned_abs())).await
}

/// Uploads a small site from an address.
async fn drop_from<'p>(probe: &'p Probe<'_>, from: Option<IpAddr>) -> Result<Answer<'p>, Stop> {
    send_any(probe, Form::with_zip(probe, &Sample::page(probe).zip()).request(probe), from).await
}

/// Uploads until a drop returns 429. Without a 429 the check is inconclusive.
async fn fill(probe: &Probe<'_>, from: Option<IpAddr>) -> Result<(), Stop> {
    for n in 1..=11 {
        let answer = drop_from(probe, from).await?;
        if n == 1 {
            answer.counterpart_status(ACCEPTED)?;
        }
        if answer.status() == 429 {
            return Ok(());
        }
        answer.given_status(ACCEPTED)?;
    }
    probe.given(false, "eleven drops in one hour were accepted: the hourly limit does not hold")
}

/// Expects that drops number `from` to `to` are accepted.
async fn expect_accepted(probe: &Probe<'_>, from: u32, to: u32) -> Checked {
    for n in from..=to {
        let answer = drop_from(probe, address(probe)).await?;
        let status = answer.status();
        answer.expect(
            ACCEPTED.contains(&status),
            &format!("status of drop {n}"),
            "200 or 201",
            status.to_string(),
        )?;
    }
    Ok(())
}

/// Uploads 10 drops in one hour, which must be accepted. The next must return 429.
async fn drop_11_of_an_hour_is_rejected(probe: &Probe<'_>) -> Checked {
    morning(probe).await?;
    drop_from(probe, address(probe)).await?.counterpart_status(ACCEPTED)?;
    expect_accepted(probe, 2, 10).await?;
    drop_from(probe, address(probe)).await?.expect_refused()
}

/// Reaches the hourly limit and moves the clock an hour. The next drop must be accepted.
async fn hourly_limit_ends_after_an_hour(probe: &Probe<'_>) -> Checked {
    morning(probe).await?;
    fill(probe, address(probe)).await?;
    probe.advance(HOUR).await?;
    drop_from(probe, address(probe)).await?.expect_accepted(ACCEPTED, RECEIPT)
}

/// Uploads 20 drops in one day. The next must return 429; a day later a drop must be accepted again.
async fn drop_21_of_a_day_is_rejected(probe: &Probe<'_>) -> Checked {
    morning(probe).await?;
    drop_from(probe, address(probe)).await?.counterpart_status(ACCEPTED)?;
    expect_accepted(probe, 2, 10).await?;
    probe.advance(HOUR).await?;
    // Another check judges that the hourly limit ends.
    drop_from(probe, address(probe)).await?.given_status(ACCEPTED)?;
    expect_accepted(probe, 12, 20).await?;
    probe.advance(HOUR).await?;
    drop_from(probe, address(probe)).await?.expect_refused()?;
    probe.advance(Duration::from_hours(24)).await?;
    drop_from(probe, address(probe)).await?.expect_accepted(ACCEPTED, RECEIPT)
}

/// Reaches the hourly limit from one address. A drop from another address must be accepted.
async fn drops_are_counted_per_address(probe: &Probe<'_>) -> Checked {
    morning(probe).await?;
    let (one, other) = (benchmark_address(probe.draw("one")), benchmark_address(probe.draw("other")));
    fill(probe, Some(one)).await?;
    drop_from(probe, Some(other)).await?.expect_accepted(ACCEPTED, RECEIPT)
}

/// Reaches the hourly limit from an IPv6 address. A drop from the same /64 must return 429; one from another /64
/// must be accepted.
async fn ipv6_addresses_are_counted_per_64_prefix(probe: &Probe<'_>) -> Checked {
    morning(probe).await?;
    // Addresses in the documentation block (one /32): two /64 prefixes.
    let drawn = u128::from_be_bytes(probe.draw("prefix")[..16].try_into().expect("sixteen of 32 bytes"));
    let prefix = 0x2001_0db8 << 96 | (drawn >> 64 & 0xffff_fffe) << 64;
    let [one, same, other] = [prefix | 1, prefix | 1 << 63 | 2, prefix | 1 << 64 | 1]
        .map(|bits| Some(IpAddr::V6(Ipv6Addr::from_bits(bits))));
    fill(probe, one).await?;
    let rejected = drop_from(probe, same).await?;
    let accepted = drop_from(probe, other).await?;
    let status = rejected.status();
    rejected.expect(status == 429, "status of another address of the /64", "429", status.to_string())?;
    let status = accepted.status();
    accepted.expect(ACCEPTED.contains(&status), "status of another /64", "200 or 201", status.to_string())
}

/// Holds an upload halfway and sends a second one from the same address. The second must return 429; the first must
/// be accepted.
async fn second_concurrent_upload_is_rejected(probe: &Probe<'_>) -> Checked {
    if probe.settings.drop.buffered_uploads {
        let why = "the profile says that a proxy buffers uploads (buffered_uploads)";
        return Err(Stop::NotTestable(why.to_owned()));
    }
    let zip = Sample::page(probe).with("noise.bin", noise(20_000)).zip();
    let request = Form::with_zip(probe, &zip).request(probe);
    let half = request.body.len() / 2;
    spend_one(probe).await?;
    let first = probe.open("drop", request, address(probe), half, patient()).await?;
    until_seen(probe).await?;
    let small = Form::with_zip(probe, &Sample::page(probe).zip()).request(probe);
    let second = send_any(probe, small.clone(), address(probe)).await?;
    let first = first.finish().await?;
    token::hide(probe, &first.response);
    send(probe, small).await?.counterpart_status(ACCEPTED)?;
    let status = second.status().to_string();
    let want =
        if probe.owns_time() { "429" } else { "429 (if a proxy buffers uploads, set buffered_uploads)" };
    second.expect(second.status() == 429, "status of the second upload", want, status)?;
    let status = first.status().to_string();
    first.expect(ACCEPTED.contains(&first.status()), "status of the first upload", "200 or 201", status)
}

/// Waits until the target receives an upload. Without a control API it waits a fixed time.
async fn until_seen(probe: &Probe<'_>) -> Result<(), Stop> {
    const MOMENT: Duration = Duration::from_secs(1);
    match probe.view_when("drop", |drop| drop["uploads"] != 0).await["uploads"].as_u64() {
        Some(0) => Err(Stop::Inconclusive("the target did not start to receive the first upload".to_owned())),
        Some(_) => Ok(()),
        None => {
            tokio::time::sleep(MOMENT).await;
            Ok(())
        }
    }
}
