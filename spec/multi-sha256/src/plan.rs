//! Which kernels a processor uses, and for how many messages.

use sha2::{Digest as _, Sha256};

use crate::Digest;
use crate::schedule::{Queue, Single};
#[cfg(target_arch = "x86_64")]
use crate::x86::{Avx2, Avx512, ShaNi};

/// The fewest lanes of AVX-512 that are faster than the other kernels, for messages of any length.
#[cfg(target_arch = "x86_64")]
const FEWEST_OF_SIXTEEN: usize = 10;
/// The fewest lanes of AVX2 that are faster than one message at a time without the instructions for SHA-256: eight lanes are
/// about as fast as these instructions, which are several times as fast as none.
#[cfg(target_arch = "x86_64")]
const FEWEST_OF_EIGHT: usize = 3;

/// The kernels that may be used. Without any, the `sha2` crate hashes each message alone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plan {
    #[cfg(target_arch = "x86_64")]
    pub(crate) avx512: Option<Avx512>,
    #[cfg(target_arch = "x86_64")]
    pub(crate) avx2: Option<Avx2>,
    #[cfg(target_arch = "x86_64")]
    pub(crate) sha_ni: Option<ShaNi>,
}

impl Plan {
    /// All kernels of this processor.
    pub(crate) fn detect() -> Plan {
        Plan {
            #[cfg(target_arch = "x86_64")]
            avx512: Avx512::detect(),
            #[cfg(target_arch = "x86_64")]
            avx2: Avx2::detect(),
            #[cfg(target_arch = "x86_64")]
            sha_ni: ShaNi::detect(),
        }
    }

    /// The digest of each message, in order.
    pub(crate) fn digests(self, messages: &[&[u8]]) -> Vec<Digest> {
        if let [message] = messages {
            return vec![Sha256::digest(message).into()];
        }
        let mut queue = Queue::new(messages);
        #[cfg(target_arch = "x86_64")]
        self.run(&mut queue);
        queue.run::<1, _>(Single, 1);
        queue.finish()
    }
}

#[cfg(target_arch = "x86_64")]
impl Plan {
    /// Messages at once, for the fastest kernel.
    pub(crate) fn width(self) -> usize {
        match self {
            Plan { avx512: Some(_), .. } => 16,
            Plan { sha_ni: Some(_), .. } => 2,
            Plan { avx2: Some(_), .. } => 8,
            _ => 1,
        }
    }

    fn run(self, queue: &mut Queue<'_>) {
        if let Some(kernel) = self.avx512 {
            queue.run::<16, _>(kernel, FEWEST_OF_SIXTEEN);
        }
        match self {
            Plan { sha_ni: Some(kernel), .. } => queue.run::<2, _>(kernel, 2),
            Plan { avx2: Some(kernel), .. } => queue.run::<8, _>(kernel, FEWEST_OF_EIGHT),
            _ => {}
        }
    }

    /// Every choice of kernels that some processor makes, as far as this one has them.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Plan> {
        let none = Plan::default();
        let Plan { avx512, avx2, sha_ni } = Plan::detect();
        [avx512, None]
            .into_iter()
            .flat_map(|avx512| {
                [
                    Plan { avx512, avx2, sha_ni },
                    Plan { avx512, sha_ni, ..none },
                    Plan { avx512, avx2, ..none },
                    Plan { avx512, ..none },
                ]
            })
            .collect()
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Plan {
    /// There is no kernel for this processor.
    pub(crate) fn width(self) -> usize {
        1
    }

    #[cfg(test)]
    pub(crate) fn all() -> Vec<Plan> {
        vec![Plan::detect()]
    }
}
