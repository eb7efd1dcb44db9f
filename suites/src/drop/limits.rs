//! What one address may ask: drops of an hour, drops of a day, uploads at once.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use assay_spec::drop::requirements::limits as rows;
use assay_spec::instant::DAY;

use super::form::Form;
use super::samples::{Sample, noise};
use super::{ACCEPTED, address, benchmark_address, patient, send, send_any, spend_one, token};
use crate::check::{Check, Checked, Need, Stop};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::HOURLY, the_eleventh_drop_of_an_hour_is_refused)
        .drops(11, 11)
        .writes(11)
        .needs(&[Need::Clock, Need::Isolation]),
    shows!(rows::HOUR_PASSES, after_an_hour_the_address_may_drop_again)
        .drops(12, 12)
        .writes(12)
        .needs(&[Need::Clock, Need::Isolation]),
    refuses!(rows::DAILY, the_twenty_first_drop_of_a_day_is_refused)
        .drops(22, 22)
        .writes(22)
        .needs(&[Need::Clock, Need::Isolation])
        .after(const { &[&rows::HOURLY] }),
    shows!(rows::PER_ADDRESS, drops_of_one_address_do_not_count_for_another)
        .drops(12, 12)
        .writes(12)
        .needs(&[Need::Clock, Need::Isolation, Need::Addresses]),
    refuses!(rows::IPV6_PREFIX, addresses_of_one_64_prefix_count_as_one)
        .drops(13, 13)
        .writes(13)
        .needs(&[Need::Clock, Need::Isolation, Need::Addresses])
        .after(const { &[&rows::PER_ADDRESS] }),
    refuses!(rows::ONE_UPLOAD, a_second_upload_at_once_is_refused).drops(3, 3).writes(3).sends(24_000),
];

/// An hour and some minutes.
const HOUR: Duration = Duration::from_mins(65);

/// Moves to ten minutes past midnight, a whole day from now or more: what was dropped before no longer counts, and no
/// hour and no day ends soon, whether they roll or follow the calendar.
async fn morning(probe: &Probe<'_>) -> Result<(), Stop> {
    let now = probe.now().await?;
    let wait_ms = 2 * DAY - now.0.rem_euclid(DAY) + 600_000;
    probe.advance(Duration::from_millis(wait_ms.unsigned_abs())).await
}

/// A small site, from an address.
async fn drop_from<'p>(probe: &'p Probe<'_>, from: Option<IpAddr>) -> Result<Answer<'p>, Stop> {
    send_any(probe, Form::of(probe, &Sample::page(probe).zip()).request(probe), from).await
}

/// Drops until one is refused with 429. Without that the check says nothing.
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
    probe.given(false, "eleven drops of an hour were taken: there is no limit to pass")
}

/// Expects drops number `from` to `to` to be taken.
async fn expect_taken(probe: &Probe<'_>, from: u32, to: u32) -> Checked {
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

async fn the_eleventh_drop_of_an_hour_is_refused(probe: &Probe<'_>) -> Checked {
    morning(probe).await?;
    drop_from(probe, address(probe)).await?.counterpart_status(ACCEPTED)?;
    expect_taken(probe, 2, 10).await?;
    drop_from(probe, address(probe)).await?.expect_status(&[429])
}

async fn after_an_hour_the_address_may_drop_again(probe: &Probe<'_>) -> Checked {
    morning(probe).await?;
    fill(probe, address(probe)).await?;
    probe.advance(HOUR).await?;
    drop_from(probe, address(probe)).await?.expect_status(ACCEPTED)
}

async fn the_twenty_first_drop_of_a_day_is_refused(probe: &Probe<'_>) -> Checked {
    morning(probe).await?;
    drop_from(probe, address(probe)).await?.counterpart_status(ACCEPTED)?;
    expect_taken(probe, 2, 10).await?;
    probe.advance(HOUR).await?;
    // That an hour passes is judged elsewhere.
    drop_from(probe, address(probe)).await?.given_status(ACCEPTED)?;
    expect_taken(probe, 12, 20).await?;
    probe.advance(HOUR).await?;
    drop_from(probe, address(probe)).await?.expect_status(&[429])?;
    probe.advance(Duration::from_hours(24)).await?;
    drop_from(probe, address(probe)).await?.expect_status(ACCEPTED)
}

async fn drops_of_one_address_do_not_count_for_another(probe: &Probe<'_>) -> Checked {
    morning(probe).await?;
    let (one, other) = (benchmark_address(probe.draw("one")), benchmark_address(probe.draw("other")));
    fill(probe, Some(one)).await?;
    drop_from(probe, Some(other)).await?.expect_status(ACCEPTED)
}

async fn addresses_of_one_64_prefix_count_as_one(probe: &Probe<'_>) -> Checked {
    morning(probe).await?;
    // Of the block that is set aside for documentation: one /32, two /64 prefixes.
    let drawn = u128::from_be_bytes(probe.draw("prefix")[..16].try_into().expect("sixteen of 32 bytes"));
    let prefix = 0x2001_0db8 << 96 | (drawn >> 64 & 0xffff_fffe) << 64;
    let [one, same, other] = [prefix | 1, prefix | 1 << 63 | 2, prefix | 1 << 64 | 1]
        .map(|bits| Some(IpAddr::V6(Ipv6Addr::from_bits(bits))));
    fill(probe, one).await?;
    let refused = drop_from(probe, same).await?;
    let taken = drop_from(probe, other).await?;
    let status = refused.status();
    refused.expect(status == 429, "status of another address of the /64", "429", status.to_string())?;
    let status = taken.status();
    taken.expect(ACCEPTED.contains(&status), "status of another /64", "200 or 201", status.to_string())
}

async fn a_second_upload_at_once_is_refused(probe: &Probe<'_>) -> Checked {
    if probe.settings.drop.buffered_uploads {
        let why = "the target's profile says that uploads are held back until they are complete";
        return Err(Stop::NotTestable(why.to_owned()));
    }
    let zip = Sample::page(probe).with("noise.bin", noise(20_000)).zip();
    let request = Form::of(probe, &zip).request(probe);
    let half = request.body.len() / 2;
    spend_one(probe).await?;
    let first = probe.open("drop", request, address(probe), half, patient()).await?;
    until_seen(probe).await?;
    let small = Form::of(probe, &Sample::page(probe).zip()).request(probe);
    let second = send_any(probe, small.clone(), address(probe)).await?;
    let first = first.finish().await?;
    token::hide(probe, &first.response);
    send(probe, small).await?.counterpart_status(ACCEPTED)?;
    let status = second.status().to_string();
    let want =
        if probe.owns_time() { "429" } else { "429; where a proxy holds uploads back: buffered_uploads" };
    second.expect(second.status() == 429, "status of the second upload", want, status)?;
    let status = first.status().to_string();
    first.expect(ACCEPTED.contains(&first.status()), "status of the first upload", "200 or 201", status)
}

/// Waits until the target receives an upload: its control API tells, else a moment must do.
async fn until_seen(probe: &Probe<'_>) -> Result<(), Stop> {
    const MOMENT: Duration = Duration::from_secs(1);
    match probe.view_when("drop", |drop| drop["uploads"] != 0).await["uploads"].as_u64() {
        Some(0) => Err(Stop::Inconclusive("the target did not begin to receive the first upload".to_owned())),
        Some(_) => Ok(()),
        None => {
            tokio::time::sleep(MOMENT).await;
            Ok(())
        }
    }
}
