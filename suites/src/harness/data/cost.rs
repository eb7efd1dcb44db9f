//! What a check costs the target.

/// What a check costs the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Requests: exact in the check's own world, and the maximum elsewhere unless `elsewhere` is set.
    pub requests: u32,
    /// The maximum of requests on a shared target, where fixtures must be found, some responses need another request and
    /// some are shared.
    pub elsewhere: Option<u32>,
    /// The requests among them that write; accepted ones leave data behind.
    pub writes: u32,
    /// Prepares that count against a domain's day.
    pub publishes: u32,
    /// The maximum of these on a shared target, where checks share responses, unless it is the same.
    pub publishes_elsewhere: Option<u32>,
    /// The requests and publishes that it adds on a shared target if the profile has a domain with a pending transfer.
    pub with_pending: (u32, u32),
    /// The requests that it adds on a shared target where all wrong values are sent, and of these those of `with_pending`.
    pub deeper: (u32, u32),
    /// The requests that it adds on a shared target where all uncommon valid values are sent: each is accepted, and counts as a
    /// publish or an upload.
    pub uncommon: u32,
    /// Domains that it makes in its own world.
    pub domains: u32,
    /// Uploads that count against an address's hour.
    pub drops: u32,
    /// The maximum of these on a shared target, unless it is the same.
    pub drops_elsewhere: Option<u32>,
    /// The maximum of bytes sent; 0 if [`Cost::REQUEST_BYTES`] per request are enough.
    pub bytes: u32,
    /// The seconds that it lets pass, if a run can wait for them (`--real-time`) where nothing moves time; otherwise 0.
    pub waits: u32,
    /// It transfers or removes something that others use.
    pub destroys: bool,
}

impl Cost {
    /// The default maximum of bytes per request, head and body.
    pub const REQUEST_BYTES: u32 = 4096;
    /// A check that costs more than this is heavy.
    const LIGHT: Cost = Cost { requests: 100, publishes: 10, drops: 2, bytes: 1_000_000, ..Cost::NOTHING };
    /// No cost.
    pub(crate) const NOTHING: Cost = Cost {
        requests: 0,
        elsewhere: None,
        writes: 0,
        publishes: 0,
        publishes_elsewhere: None,
        with_pending: (0, 0),
        deeper: (0, 0),
        uncommon: 0,
        domains: 0,
        drops: 0,
        drops_elsewhere: None,
        bytes: 0,
        waits: 0,
        destroys: false,
    };

    /// Requests in the check's own world, or on a shared target.
    pub const fn requests_at(self, own: bool) -> u32 {
        match self.elsewhere {
            Some(elsewhere) if !own => elsewhere,
            _ => self.requests,
        }
    }

    /// The cost where all wrong values are sent.
    #[must_use]
    pub const fn in_depth(mut self) -> Cost {
        self.elsewhere = Some(self.requests_at(false) + self.deeper.0);
        self.with_pending.0 += self.deeper.1;
        self
    }

    /// The cost where all uncommon valid values are sent, too.
    #[must_use]
    pub const fn in_full(self) -> Cost {
        let mut full = self.in_depth();
        full.elsewhere = Some(full.requests_at(false) + self.uncommon);
        if self.publishes > 0 {
            // What is prepared is submitted, so that the domain is free again.
            full.elsewhere = Some(full.requests_at(false) + self.uncommon);
            full.publishes_elsewhere = Some(self.publishes_at(false) + self.uncommon);
        }
        if self.drops > 0 {
            full.drops_elsewhere = Some(self.drops_at(false) + self.uncommon);
        }
        full
    }

    /// Whether its accepted requests use up a limit of a shared target.
    pub const fn uses_up(self) -> bool {
        self.publishes_at(false) > 0 || self.drops_at(false) > 0
    }

    /// Publishes in the check's own world, or the maximum on a shared target.
    pub const fn publishes_at(self, own: bool) -> u32 {
        match self.publishes_elsewhere {
            Some(elsewhere) if !own => elsewhere,
            _ => self.publishes,
        }
    }

    /// Uploads in the check's own world, or the maximum on a shared target.
    pub const fn drops_at(self, own: bool) -> u32 {
        match self.drops_elsewhere {
            Some(elsewhere) if !own => elsewhere,
            _ => self.drops,
        }
    }

    /// The maximum of bytes in the check's own world, or on a shared target.
    pub const fn bytes_at(self, own: bool) -> u64 {
        let requests = self.requests_at(own) as u64;
        // Additional requests have the default size.
        let more = requests.saturating_sub(self.requests as u64);
        match self.bytes {
            0 => requests * Self::REQUEST_BYTES as u64,
            bytes => bytes as u64 + more * Self::REQUEST_BYTES as u64,
        }
    }

    /// The maximum of writing requests in the check's own world, or on a shared target.
    pub const fn writes_at(self, own: bool) -> u32 {
        let (requests, all) = (self.requests_at(own), self.requests);
        match self.writes {
            0 => 0,
            writes if requests < writes => requests,
            writes => writes + requests.saturating_sub(all),
        }
    }

    /// Whether it sends more than a light check may.
    pub(crate) const fn sends_much(self) -> bool {
        self.bytes > Cost::LIGHT.bytes
    }

    /// Its weight on a shared target.
    pub const fn weight(self) -> Weight {
        let most = Cost::LIGHT;
        if self.destroys {
            Weight::Destructive
        } else if self.requests_at(false) > most.requests
            || self.publishes_at(false) > most.publishes
            || self.drops_at(false) > most.drops
            || self.sends_much()
        {
            Weight::Heavy
        } else {
            Weight::Light
        }
    }
}

/// The weight of a check on a target that others use too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It needs no permission.
    Light,
    /// It needs more than 100 requests, 10 publishes, 2 drops or a megabyte.
    Heavy,
    /// It transfers or removes something that others may use.
    Destructive,
}

impl Weight {
    /// The weight's name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Weight::Light => "light",
            Weight::Heavy => "heavy",
            Weight::Destructive => "destructive",
        }
    }

    /// The weight with that name; light has no name here because it needs no permission.
    pub fn named(name: &str) -> Option<Weight> {
        [Weight::Heavy, Weight::Destructive].into_iter().find(|weight| weight.name() == name)
    }
}

/// The total cost of some checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Checks that run.
    pub checks: u64,
    /// Checks that do not.
    pub left_out: u64,
    /// Requests.
    pub requests: u64,
    /// Requests that write, at most.
    pub writes: u64,
    /// Prepares that count for a domain's daily limit.
    pub publishes: u64,
    /// Domains that are used up.
    pub domains: u64,
    /// Uploads that count for an address' hourly limit.
    pub drops: u64,
    /// Bytes that are sent, at most.
    pub bytes: u64,
}
