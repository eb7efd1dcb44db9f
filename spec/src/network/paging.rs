//! Pages of a list (document 2, "Pagination object" and "Endpoints").
//!
//! Readings: the first page is 1; a limit above the maximum is reduced to the maximum; a page after the last one is
//! empty; a value that is not a positive integer is rejected.

use std::convert::identity;

use crate::network::limits::{PAGE_DEFAULT, PAGE_MAXIMUM};
use crate::network::mistakes::paging::{FIRST_PAGE, LIMIT};
use crate::network::params::Params;
use crate::network::requirements::paging::{self as rows, ODD_VALUES};
use crate::shape::{COUNT, object};
use crate::{Refused, Rules};

/// A requested page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its number, from 1.
    pub number: u64,
    /// Its maximum number of elements.
    pub limit: u64,
}

object! {
    /// The pagination object beside a list's array.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Pagination {
        /// Elements on all pages.
        total: u64 = must("total", COUNT).derived("the elements of all pages").related(&rows::TOTAL),
        /// The page number.
        page: u64 = must("page", COUNT).derived("the request").related(&rows::PAGE),
        /// Maximum number of elements on a page.
        per_page: u64 = must("per_page", COUNT).free("a server may have another maximum than `limit`"),
        /// Pages that are not empty.
        total_pages: u64 = must("total_pages", COUNT).derived("`total` and `per_page`").related(&rows::TOTAL_PAGES),
    }
}

/// How many elements a page holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    /// Without `limit`.
    pub default: u64,
    /// With any `limit`.
    pub maximum: u64,
}

/// The documented sizes.
impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { default: PAGE_DEFAULT.u64(), maximum: PAGE_MAXIMUM.u64() }
    }
}

impl Page {
    /// Reads `page` and `limit`.
    pub fn parse(params: &Params, sizes: Sizes, rules: &mut dyn Rules) -> Result<Page, Refused> {
        let number = match positive(params, "page")? {
            Some(number) => number,
            None => rules.derive(&FIRST_PAGE, (), |()| 1),
        };
        let limit = match positive(params, "limit")? {
            Some(limit) => rules.derive(&LIMIT, limit, identity).min(sizes.maximum),
            None => sizes.default,
        };
        Ok(Page { number, limit })
    }

    /// The number of elements before this page.
    pub fn skip(self) -> u64 {
        (self.number - 1).saturating_mul(self.limit)
    }

    /// The positions of the page's elements among `total`; empty for a page after the last one.
    pub fn range(self, total: u64) -> std::ops::Range<u64> {
        let skip = self.skip().min(total);
        skip..skip.saturating_add(self.limit).min(total)
    }

    /// The pagination object beside the array.
    pub fn pagination(self, total: u64) -> Pagination {
        let Page { number, limit } = self;
        Pagination { total, page: number, per_page: limit, total_pages: total.div_ceil(limit) }
    }
}

fn positive(params: &Params, name: &str) -> Result<Option<u64>, Refused> {
    let Some(text) = params.text(name) else { return Ok(None) };
    match text.parse::<i64>() {
        Ok(number) if number > 0 => Ok(Some(number.unsigned_abs())),
        _ => Err(Refused { rule: &ODD_VALUES, why: format!("{name} is {text:?}, not a positive integer") }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Id, Strict, Without};

    fn page(query: &str) -> Result<(u64, u64), Refused> {
        Page::parse(&Params::parse(query), Sizes::default(), &mut Strict)
            .map(|page| (page.number, page.limit))
    }

    #[test]
    fn both_sides_of_every_bound_are_tested() {
        assert_eq!(page(""), Ok((1, 20)));
        assert_eq!(page("limit=1&page=1"), Ok((1, 1)));
        assert_eq!(page("limit=100"), Ok((1, 100)));
        assert_eq!(page("limit=101"), Ok((1, 100)));
        assert_eq!(page("limit=9223372036854775807&page=9223372036854775807"), Ok((i64::MAX as u64, 100)));
        for odd in
            ["limit=0", "page=0", "limit=-1", "page=-1", "limit=x", "page=1.5", "page=9223372036854775808"]
        {
            assert_eq!(page(odd).expect_err(odd).rule, &ODD_VALUES);
        }
    }

    #[test]
    fn page_after_the_last_one_is_empty() {
        let page = Page { number: 3, limit: 20 };
        assert_eq!(page.range(40), 40..40);
        assert_eq!(page.range(41), 40..41);
        assert_eq!(page.range(0), 0..0);
        assert_eq!(page.pagination(40).total_pages, 2);
        assert_eq!(page.pagination(41), Pagination { total: 41, page: 3, per_page: 20, total_pages: 3 });
    }

    #[test]
    fn each_violated_rule_reads_another_page() {
        let read = |rule: Id| {
            let page = Page::parse(&Params::parse("limit=5"), Sizes::default(), &mut Without(rule)).unwrap();
            (page.number, page.limit)
        };
        assert_eq!((read(&FIRST_PAGE), read(&LIMIT)), ((2, 5), (1, 6)));
    }

    proptest! {
        #[test]
        fn pages_together_hold_every_element_once(total in 0..500_u64, limit in 1..120_u64) {
            let mut seen = Vec::new();
            let mut number = 1;
            loop {
                let page = Page { number, limit: limit.min(PAGE_MAXIMUM.u64()) };
                let range = page.range(total);
                if range.is_empty() {
                    prop_assert_eq!(number, page.pagination(total).total_pages + 1);
                    break;
                }
                seen.extend(range);
                number += 1;
            }
            prop_assert_eq!(seen, (0..total).collect::<Vec<_>>());
        }
    }
}
