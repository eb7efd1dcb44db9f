//! Every statement of document 3 about the anonymous drop and content identifiers, one row each.

crate::requirements! {
    service Drop;

    /// The upload: `POST /api/drop`.
    mod upload at UPLOAD {
        /// The server accepts one multipart form with only a zip: no account, no key, no other field.
        UNAUTHENTICATED: Must Server Check ["Anonymous drop" 0x059a_d993, "POST /api/drop" 0xeaf9_69a0, "Drop" 0x116c_2fea, "Drop" 0x07e7_f346, "Versioning" 0xb02b_5b26];
        /// The server rejects a form without `artifact`.
        ARTIFACT_REQUIRED: Must Server Check rejects UNSAFE ["POST /api/drop" 0xb2f7_ca1c, "Errors" 0xde37_904f];
        /// The server accepts a `source` of at most 64 of the listed characters.
        SOURCE_TAKEN: Must Server Check accepts SOURCES ["POST /api/drop" 0x1848_0cff];
        /// The server ignores any other `source`, and the upload succeeds.
        SOURCE_IGNORED: Must Server Check accepts IGNORED ["POST /api/drop" 0x1848_0cff];
        /// The server accepts the zip in every form that ordinary programs give it, and finds the same files.
        FORMS: Must Server Check accepts FORMS ["POST /api/drop" 0xb2f7_ca1c];
        /// The server accepts the 64-bit form of a small zip, and finds the same files.
        ZIP64: Should Server Check ["POST /api/drop" 0xb2f7_ca1c];
        /// No response has headers that let a browser of another origin read it.
        NO_CORS: Must Server Check at API ["POST /api/drop" 0x5539_9035];
        /// If publishing fails, the upload returns 500; the same upload can be retried.
        PUBLISH_FAILED: Must Server Check rejects FAILED ["Errors" 0x8d82_50a2];
        /// While drops are paused (busy, daily budget spent, or feature disabled), uploads return 503.
        PAUSED: Must Server Check rejects PAUSED ["Errors" 0x295e_10fa];
    }

    /// The zip, which is untrusted.
    mod zip at UPLOAD {
        /// The server rejects an artifact that is not a zip.
        FORM: Must Server Check values NOT_ZIPS rule "zip.form" rejects UNSAFE ["POST /api/drop" 0xb2f7_ca1c, "Errors" 0xde37_904f];
        /// The server rejects a zip with an entry whose path leads out of the root.
        TRAVERSAL: Must Server Check values OUTSIDE rule "zip.traversal" rejects UNSAFE ["Errors" 0xde37_904f];
        /// The server rejects a zip with an entry that has an absolute path.
        ABSOLUTE: Must Server Check values ABSOLUTE rule "zip.absolute" rejects UNSAFE ["Errors" 0xde37_904f];
        /// The server follows a symbolic link that stays inside the zip, or rejects the zip; it never omits the link.
        SYMLINK: Must Server Check rejects LINK ["Computing the content identifier" 0x1804_26d9, "Errors" 0xde37_904f];
        /// What else makes a zip unsafe is left open; the simulator rejects what it cannot extract faithfully.
        FAITHFUL: May Server Open("the word `unsafe` is not defined beyond paths, so a server may also extract such an entry") rule "zip.faithful" ["Errors" 0xde37_904f];
        /// The server rejects a zip without `index.html` at its root.
        ROOT_INDEX: Must Server Check values PAGES rule "zip.root-index" rejects UNSAFE ["POST /api/drop" 0xb2f7_ca1c, "Errors" 0xde37_904f];
        /// The server rejects a zip of more than 10 MB as too large.
        SIZE: Must Server Check rule "zip.size" rejects TOO_LARGE ["Errors" 0xa5bc_a90b, "Limits" 0xe2aa_200c];
        /// The server rejects a zip whose files have more than 40 MB in total.
        EXTRACTED_SIZE: Must Server Check rule "zip.extracted-size" rejects TOO_MUCH_INSIDE ["Limits" 0x03f5_65df];
        /// The server counts the size of the files during extraction, whatever sizes the zip declares.
        COUNTED: Must Server Check rule "zip.counted" rejects TOO_MUCH_INSIDE ["Limits" 0x03f5_65df];
        /// The server rejects a zip with more than 1000 files.
        FILES: Must Server Check rule "zip.files" rejects TOO_MUCH_INSIDE ["Limits" 0x03f5_65df];
    }

    /// Content identifiers of files and folders.
    mod cid at UPLOAD {
        /// `cid` is the identifier of exactly the uploaded files, whatever their order and compression in the zip.
        OF_THE_FILES: Must Server Check accepts NAMES keeps NAMES ["Drop response" 0xc5b1_3c74, "Computing the content identifier" 0x8956_e154];
        /// The content identifier is a CIDv1.
        VERSION: Must Record Check ["Drop response" 0xc5b1_3c74, "Computing the content identifier" 0x8956_e154];
        /// The content identifier is that of the folder itself, without a wrapping directory.
        NOT_WRAPPED: Must Record Check ["Computing the content identifier" 0x8956_e154];
        /// The leaves of a file are raw blocks.
        RAW_LEAVES: Must Record Check ["Computing the content identifier" 0x8956_e154];
        /// Files are cut into chunks of 262144 bytes.
        CHUNKS: Must Record Check ["Computing the content identifier" 0x8956_e154];
        /// The chunks of a file form a balanced tree.
        BALANCED: Must Record Vector ["Computing the content identifier" 0x8956_e154, "Computing the content identifier" 0x4c00_cbc8];
        /// A folder whose node would exceed 262144 bytes is sharded.
        SHARDED: Must Record Check ["Computing the content identifier" 0x8956_e154, "Computing the content identifier" 0x4c00_cbc8];
        /// Dotfiles are included like other files.
        DOTFILES: Must Record Check ["Computing the content identifier" 0x1804_26d9];
        /// Empty directories are left out.
        EMPTY_DIRECTORIES: Must Record Check ["Computing the content identifier" 0x1804_26d9];
        /// Symbolic links are followed.
        SYMLINKS: Must Record Vector ["Computing the content identifier" 0x1804_26d9];
        /// A symbolic link without a target makes the computation fail.
        DANGLING: Must Record Vector rule "cid.dangling" ["Computing the content identifier" 0x7496_3d19];
        /// A loop of symbolic links makes the computation fail.
        LOOP: Must Record Vector rule "cid.loop" ["Computing the content identifier" 0x1804_26d9, "Computing the content identifier" 0x7496_3d19];
    }

    /// The response to an upload.
    mod response at UPLOAD {
        /// `dropId` is `drop_` and 22 characters; each drop has a new one.
        DROP_ID: Must Server Check ["Drop response" 0x8ebd_60c0, "POST /api/drop" 0x28c1_77f0];
        /// `claimToken` is a secret string: each drop has a new one, which does not follow from the one before
        /// or from an identifier.
        CLAIM_TOKEN: Must Server Check ["Drop response" 0xaa92_ff69, "POST /api/drop" 0x28c1_77f0];
        /// `url` is the URL of the live site.
        URL: Must Server Check ["Drop response" 0x9576_3872, "POST /api/drop" 0x28c1_77f0];
        /// `expiresAt` is 4 hours after the upload, in milliseconds since the epoch.
        EXPIRES_AT: Must Server Check ["Drop response" 0x098d_3193, "Limits" 0x990f_2976];
        /// The fragment of `claimUrl` is `claim=<token>&exp=<ms>`, with this drop's token and deadline.
        CLAIM_URL: Must Server Check ["Drop response" 0x5a73_112f, "Anonymous drop" 0x059a_d993];
        /// The response has a JSON media type.
        MEDIA_TYPE: Should Server Check ["Drop response" 0x8ebd_60c0];
        /// `claimUrl` contains the token only in its fragment, and `url` does not contain it.
        TOKEN_IN_FRAGMENT: Must Server Check ["Drop response" 0x5a73_112f, "Drop response" 0xaa92_ff69];
    }

    /// The site at the returned URL, and its end.
    mod site {
        /// The returned URL serves the uploaded `index.html`.
        LIVE: Must Server Check at PAGE ["Anonymous drop" 0x059a_d993, "Drop response" 0x9576_3872];
        /// The server serves files in folders below the returned URL, byte for byte.
        NESTED: Must Server Check at PAGE ["Anonymous drop" 0x059a_d993, "Drop response" 0x9576_3872];
        /// Another upload creates a separate site with its own URL and claim window, and does not change the first.
        SEPARATE: Must Server Check at UPLOAD ["POST /api/drop" 0x4436_0aaf];
        /// An unclaimed drop is removed after 4 hours.
        REMOVED: Must Server Check at REMOVAL rejects REMOVED ["Anonymous drop" 0x61d1_93b1, "States and transitions" 0xaf71_ff9d, "Limits" 0x990f_2976];
        /// A drop that is claimed before its deadline is not removed.
        CLAIMED_STAYS: Must Server Check at REMOVAL ["Anonymous drop" 0x372d_e4af, "States and transitions" 0x08b2_8281];
    }

    /// Limits per IP address.
    mod limits at UPLOAD {
        /// The server rejects the eleventh drop of an IP address within an hour.
        HOURLY: Must Server Check rejects LIMITED ["Errors" 0xa041_441d, "Limits" 0x8ac0_a772];
        /// After an hour, the IP address can drop again.
        HOUR_PASSES: Must Server Check ["Limits" 0x8ac0_a772];
        /// The server rejects the twenty-first drop of an IP address within a day.
        DAILY: Must Server Check rejects LIMITED ["Errors" 0xa041_441d, "Limits" 0x8ac0_a772];
        /// Drops of one IP address do not count for another.
        PER_ADDRESS: Must Server Check ["Limits" 0x8ac0_a772];
        /// IPv6 addresses with the same /64 prefix count as one.
        IPV6_PREFIX: Must Server Check rejects PREFIX ["Limits" 0x8ac0_a772];
        /// While an upload of an IP address is in flight, the server rejects a second one; the first is not affected.
        ONE_UPLOAD: Must Server Check rejects LIMITED ["Errors" 0xa041_441d, "Limits" 0xc90c_ba1d];
    }
}
