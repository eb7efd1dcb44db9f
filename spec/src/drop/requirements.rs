//! Every statement of document 3 about the anonymous drop and content identifiers, one row each.

crate::requirements! {
    service Drop;

    /// The upload: `POST /api/drop`.
    mod upload {
        /// One multipart form with a zip is enough: no account, no key, no further field.
        UNAUTHENTICATED: Must Server Check ["Anonymous drop" 1 0x059a_d993, "POST /api/drop" 1 0xeaf9_69a0, "Drop" 1 0x116c_2fea, "Drop" 2 0x07e7_f346, "Versioning" 2 0xb02b_5b26];
        /// A form without an artifact is refused.
        ARTIFACT_REQUIRED: Must Server Check ["POST /api/drop" 2 0xb2f7_ca1c, "Errors" 11 0xde37_904f];
        /// A `source` of at most 64 characters of the listed ones is taken.
        SOURCE_TAKEN: Must Server Check ["POST /api/drop" 3 0x1848_0cff];
        /// Any other `source` is ignored, and the upload succeeds.
        SOURCE_IGNORED: Must Server Check ["POST /api/drop" 3 0x1848_0cff];
        /// No answer lets a browser of another origin read it.
        NO_CORS: Must Server Check ["POST /api/drop" 5 0x5539_9035];
        /// An upload whose publishing fails is answered by 500 and can be sent again as it is.
        PUBLISH_FAILED: Must Server Check ["Errors" 14 0x8d82_50a2];
        /// While drops are paused (too busy, the day's budget spent, switched off), uploads are answered by 503.
        PAUSED: Must Server Check ["Errors" 15 0x295e_10fa];
    }

    /// The zip, which nobody trusts.
    mod zip {
        /// An artifact that is no zip is unsafe.
        FORM: Must Server Check rule "zip.form" ["POST /api/drop" 2 0xb2f7_ca1c, "Errors" 11 0xde37_904f];
        /// An entry whose path climbs out of the root makes the zip unsafe.
        TRAVERSAL: Must Server Check rule "zip.traversal" ["Errors" 11 0xde37_904f];
        /// An entry with an absolute path makes the zip unsafe.
        ABSOLUTE: Must Server Check rule "zip.absolute" ["Errors" 11 0xde37_904f];
        /// A symbolic link that stays inside the zip is followed, or it makes the zip unsafe; it is never left out.
        SYMLINK: Must Server Check ["Computing the content identifier" 2 0x1804_26d9, "Errors" 11 0xde37_904f];
        /// What else makes a zip unsafe is left open; the simulator refuses what it cannot extract faithfully.
        FAITHFUL: May Server Open rule "zip.faithful" ["Errors" 11 0xde37_904f];
        /// `index.html` stands at the root of the zip.
        ROOT_INDEX: Must Server Check rule "zip.root-index" ["POST /api/drop" 2 0xb2f7_ca1c, "Errors" 11 0xde37_904f];
        /// A zip of more than 10 MB is refused as too large.
        SIZE: Must Server Check rule "zip.size" ["Errors" 12 0xa5bc_a90b, "Limits" 10 0xe2aa_200c];
        /// A zip whose files have more than 40 MB together is refused.
        EXTRACTED_SIZE: Must Server Check rule "zip.extracted-size" ["Limits" 11 0x03f5_65df];
        /// The size of the files is counted while they are extracted, whatever the zip says of itself.
        COUNTED: Must Server Check rule "zip.counted" ["Limits" 11 0x03f5_65df];
        /// A zip of more than 1000 files is refused.
        FILES: Must Server Check rule "zip.files" ["Limits" 11 0x03f5_65df];
    }

    /// Content identifiers of files and folders.
    mod cid {
        /// The drop's identifier is that of exactly the uploaded files, in whatever order and compression they came.
        OF_THE_FILES: Must Server Check ["Drop response" 4 0xc5b1_3c74, "Computing the content identifier" 1 0x8956_e154];
        /// The identifier is a CIDv1.
        VERSION: Must Record Check ["Drop response" 4 0xc5b1_3c74, "Computing the content identifier" 1 0x8956_e154];
        /// A folder is pinned as itself, without a directory around it.
        NOT_WRAPPED: Must Record Check ["Computing the content identifier" 1 0x8956_e154];
        /// Leaves are raw blocks.
        RAW_LEAVES: Must Record Check ["Computing the content identifier" 1 0x8956_e154];
        /// Files are cut into chunks of 262144 bytes.
        CHUNKS: Must Record Check ["Computing the content identifier" 1 0x8956_e154];
        /// The chunks of a file hang in a balanced tree.
        BALANCED: Must Record Vector ["Computing the content identifier" 1 0x8956_e154, "Computing the content identifier" 3 0x4c00_cbc8];
        /// A folder whose node would exceed 262144 bytes is sharded.
        SHARDED: Must Record Check ["Computing the content identifier" 1 0x8956_e154, "Computing the content identifier" 3 0x4c00_cbc8];
        /// Dotfiles are files like others.
        DOTFILES: Must Record Check ["Computing the content identifier" 2 0x1804_26d9];
        /// Empty directories are left out.
        EMPTY_DIRECTORIES: Must Record Check ["Computing the content identifier" 2 0x1804_26d9];
        /// Symbolic links are followed.
        SYMLINKS: Must Record Vector ["Computing the content identifier" 2 0x1804_26d9];
        /// A symbolic link without a target makes the computation fail.
        DANGLING: Must Record Vector rule "cid.dangling" ["Computing the content identifier" 4 0x7496_3d19];
        /// Symbolic links that lead into each other without end make the computation fail.
        LOOP: Must Record Vector rule "cid.loop" ["Computing the content identifier" 2 0x1804_26d9, "Computing the content identifier" 4 0x7496_3d19];
    }

    /// The answer to an upload.
    mod response {
        /// `dropId` is `drop_` and 22 characters, another one for every drop.
        DROP_ID: Must Server Check ["Drop response" 1 0x8ebd_60c0, "POST /api/drop" 4 0x28c1_77f0];
        /// `claimToken` is a secret text, another one for every drop.
        CLAIM_TOKEN: Must Server Check ["Drop response" 2 0xaa92_ff69, "POST /api/drop" 4 0x28c1_77f0];
        /// `url` is the URL of the live site.
        URL: Must Server Check ["Drop response" 3 0x9576_3872, "POST /api/drop" 4 0x28c1_77f0];
        /// `expiresAt` is 4 hours after the upload, in milliseconds.
        EXPIRES_AT: Must Server Check ["Drop response" 5 0x098d_3193, "Limits" 12 0x990f_2976];
        /// The fragment of `claimUrl` is `claim=<token>&exp=<ms>`, of this token and this deadline.
        CLAIM_URL: Must Server Check ["Drop response" 6 0x5a73_112f, "Anonymous drop" 1 0x059a_d993];
        /// The token stands nowhere in `claimUrl` but in its fragment, which no server sees.
        TOKEN_IN_FRAGMENT: Must Server Check ["Drop response" 6 0x5a73_112f];
    }

    /// The site at the returned URL, and its end.
    mod site {
        /// The returned URL serves the uploaded `index.html`.
        LIVE: Must Server Check ["Anonymous drop" 1 0x059a_d993, "Drop response" 3 0x9576_3872];
        /// Files in folders are served below the returned URL, byte for byte.
        NESTED: Must Server Check ["Anonymous drop" 1 0x059a_d993, "Drop response" 3 0x9576_3872];
        /// Another upload is another site with a URL and a claim window of its own, and changes nothing of the first.
        SEPARATE: Must Server Check ["POST /api/drop" 6 0x4436_0aaf];
        /// A drop that nobody has claimed is removed after 4 hours.
        REMOVED: Must Server Check ["Anonymous drop" 2 0x61d1_93b1, "States and transitions" 10 0xaf71_ff9d, "Limits" 12 0x990f_2976];
        /// A drop that was claimed before its deadline stays.
        CLAIMED_STAYS: Must Server Check ["Anonymous drop" 3 0x372d_e4af, "States and transitions" 9 0x08b2_8281];
    }

    /// What one address may ask.
    mod limits {
        /// The eleventh drop of an address within an hour is refused.
        HOURLY: Must Server Check ["Errors" 13 0xa041_441d, "Limits" 13 0x8ac0_a772];
        /// An address that waits an hour may drop again.
        HOUR_PASSES: Must Server Check ["Limits" 13 0x8ac0_a772];
        /// The twenty-first drop of an address within a day is refused.
        DAILY: Must Server Check ["Errors" 13 0xa041_441d, "Limits" 13 0x8ac0_a772];
        /// Drops of one address do not count for another.
        PER_ADDRESS: Must Server Check ["Limits" 13 0x8ac0_a772];
        /// IPv6 addresses of one /64 prefix count as one.
        IPV6_PREFIX: Must Server Check ["Limits" 13 0x8ac0_a772];
        /// While an upload of an address is on its way, a second one is refused, and the first is not touched.
        ONE_UPLOAD: Must Server Check ["Errors" 13 0xa041_441d, "Limits" 14 0xc90c_ba1d];
    }
}
