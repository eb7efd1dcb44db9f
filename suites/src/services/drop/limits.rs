//! Checks of the limits per address: drops per hour, drops per day, concurrent uploads.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use assay_spec::drop::limits::{DROP_DAY, DROP_HOUR, DROPS_PER_DAY, DROPS_PER_HOUR, IPV6_PREFIX, UPLOADS};
use assay_spec::drop::requirements::limits as rows;
use assay_spec::instant::MINUTE;

use super::form::Form;
use super::samples::{Sample, noise};
use super::{
    ACCEPTED, RECEIPT, Which, address, benchmark_address, patient, send, send_any, spend_one, token,
};
use crate::harness::boundary::{Quota, begin, expect_beyond, expect_inside};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Probe};
use crate::support::prose::ordinal;

/// Uploads a small site from an address.
async fn drop_from<'p>(probe: &'p Probe<'_>, from: Option<IpAddr>) -> Result<Answer<'p>, Stop> {
    send_any(probe, Form::with_zip(probe, &Sample::page(probe).zip()).request(probe), from).await
}

/// The drops of an hour from an address.
fn hourly<'p, 'r: 'p>(
    probe: &'p Probe<'r>,
    from: Option<IpAddr>,
) -> Quota<impl AsyncFn(i64) -> Result<Answer<'p>, Stop>> {
    Quota::new(&DROPS_PER_HOUR, ACCEPTED, async move |_| drop_from(probe, from).await)
}

/// Uploads 10 drops at the beginning of an hour, which must be accepted. The next must return 429, at once and until the
/// hour has passed.
#[rejects(rows::HOURLY, needs(Clock, Isolation))]
async fn drop_11_of_an_hour_is_rejected(probe: &Probe<'_>) -> Checked {
    let start = begin(probe, DROP_DAY.value).await?;
    let quota = hourly(probe, address(probe));
    quota.fill().await?;
    quota.overflow(DROP_HOUR.value).await?;
    start.until(probe, DROP_HOUR.inside).await?;
    quota.overflow(DROP_HOUR.inside).await.map(drop)
}

/// Reaches the hourly limit at the beginning of an hour and moves the clock an hour. The next drop must be accepted.
#[shows(rows::HOUR_PASSES, needs(Clock, Isolation))]
async fn hourly_limit_ends_after_an_hour(probe: &Probe<'_>) -> Checked {
    let start = begin(probe, DROP_DAY.value).await?;
    let quota = hourly(probe, address(probe));
    quota.exhaust().await?;
    start.until(probe, DROP_HOUR.outside).await?;
    quota.again(DROP_HOUR.outside).await?.given_accepted(ACCEPTED, RECEIPT)
}

/// Uploads 20 drops from the beginning of a day, ten in each of two hours. The next must return 429, in the third hour and
/// until the day has passed, although no site is left then; a day after the first a drop must be accepted again.
#[rejects(rows::DAILY, needs(Clock, Isolation), after(rows::HOURLY))]
async fn drop_21_of_a_day_is_rejected(probe: &Probe<'_>) -> Checked {
    let start = begin(probe, DROP_DAY.value).await?;
    let quota = Quota::new(&DROPS_PER_DAY, ACCEPTED, async |_| drop_from(probe, address(probe)).await);
    drop_from(probe, address(probe)).await?.counterpart_status(ACCEPTED)?;
    quota.accept(2..=DROPS_PER_HOUR.value).await?;
    // Another check judges that the hourly limit ends.
    start.until(probe, DROP_HOUR.value + MINUTE).await?;
    drop_from(probe, address(probe)).await?.given_status(ACCEPTED)?;
    quota.accept(DROPS_PER_HOUR.value + 2..=DROPS_PER_DAY.inside).await?;
    start.until(probe, 3 * DROP_HOUR.value).await?;
    quota.overflow(DROP_DAY.value).await?;
    start.until(probe, DROP_DAY.inside).await?;
    quota.overflow(DROP_DAY.inside).await?;
    start.until(probe, DROP_DAY.outside).await?;
    quota.again(DROP_DAY.outside).await?.given_accepted(ACCEPTED, RECEIPT)
}

/// Reaches the hourly limit from one address. A drop from another address must be accepted.
#[shows(rows::PER_ADDRESS, needs(Clock, Isolation, Addresses))]
async fn drops_are_counted_per_address(probe: &Probe<'_>) -> Checked {
    begin(probe, DROP_DAY.value).await?;
    let (one, other) = (benchmark_address(probe.draw("one")), benchmark_address(probe.draw("other")));
    hourly(probe, Some(one)).exhaust().await?;
    drop_from(probe, Some(other)).await?.expect_accepted(ACCEPTED, RECEIPT)?;
    // Its neighbour, too: only addresses of version 6 share a prefix.
    let IpAddr::V4(one) = one else { return Ok(()) };
    let neighbour = IpAddr::V4(Ipv4Addr::from_bits(one.to_bits() ^ 1));
    drop_from(probe, Some(neighbour)).await?.expect_accepted(ACCEPTED, RECEIPT)
}

/// Reaches the hourly limit from an IPv6 address. A drop from an address that differs in the 65th bit must return 429; one
/// from an address that differs in the 64th bit must be accepted.
#[rejects(rows::IPV6_PREFIX, needs(Clock, Isolation, Addresses), after(rows::PER_ADDRESS))]
async fn ipv6_addresses_are_counted_per_64_prefix(probe: &Probe<'_>) -> Checked {
    begin(probe, DROP_DAY.value).await?;
    // Addresses in the documentation block (one /32).
    let drawn = u128::from_be_bytes(probe.draw("prefix")[..16].try_into().expect("sixteen of 32 bytes"));
    let one = 0x2001_0db8 << 96 | (drawn >> 64 & 0xffff_fffe) << 64 | 1;
    // Bits are counted from the first.
    let differing = |bit: i64| Some(IpAddr::V6(Ipv6Addr::from_bits(one ^ 1 << (128 - bit))));
    hourly(probe, Some(IpAddr::V6(Ipv6Addr::from_bits(one)))).exhaust().await?;
    let same = drop_from(probe, differing(IPV6_PREFIX.outside)).await?;
    let other = drop_from(probe, differing(IPV6_PREFIX.inside)).await?;
    let from = |bit: i64| format!("a drop from an address that differs in the {} bit", ordinal(bit));
    expect_beyond(&same, &IPV6_PREFIX, &from(IPV6_PREFIX.outside), &[429])?;
    expect_inside(&other, &IPV6_PREFIX, &from(IPV6_PREFIX.inside), &[429])?;
    other.given_status(ACCEPTED)
}

/// Holds an upload halfway and sends a second one from the same address. The second must return 429; the first must
/// be accepted.
#[rejects(rows::ONE_UPLOAD)]
async fn second_concurrent_upload_is_rejected(probe: &Probe<'_>) -> Checked {
    if probe.settings.drop().buffered_uploads {
        let why = "the profile says that a proxy buffers uploads (buffered_uploads)";
        return Err(Stop::NotTestable(why.to_owned()));
    }
    let zip = Sample::page(probe).with("noise.bin", noise(20_000)).zip();
    let request = Form::with_zip(probe, &zip).request(probe);
    let half = request.body.len() / 2;
    spend_one(probe).await?;
    let first = probe.open("drop", request, address(probe), half, patient()).await?;
    until_seen(probe).await?;
    // Where checks share uploads, the bytes of one of them: equal bytes are a drop of their own too.
    let equal = Which::Plain.sample(&Which::Plain.label(probe), &[]).zip();
    let small = Form::with_zip(probe, &equal).request(probe);
    let second = send_any(probe, small.clone(), address(probe)).await?;
    let first = first.finish().await?;
    token::hide(probe, &first.response);
    send(probe, small).await?.counterpart_status(ACCEPTED)?;
    let status = second.status().to_string();
    let at = At::status_named("status of a second upload at the same time");
    let hint = if probe.owns_time() { "" } else { " (if a proxy buffers uploads, set buffered_uploads)" };
    let want = Want::one_of(&[429]).said(format!("429: the limit is {}{hint}", UPLOADS.words()));
    second.expect(second.status() == 429, at, want, status)?;
    let status = first.status().to_string();
    first.expect(
        ACCEPTED.contains(&first.status()),
        At::status_named("status of the first upload"),
        Want::one_of(ACCEPTED),
        status,
    )
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
