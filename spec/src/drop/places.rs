//! Where the rows of the drop apply: the upload, and the site that it creates.

use crate::Place;

/// The upload.
pub const UPLOAD: &[Place] = &[Place::at("upload")];
/// The upload, and the question of a browser before it.
pub const API: &[Place] = &[Place::at("upload"), Place::at("preflight")];
/// The question of a browser before an upload.
pub const PREFLIGHT: &[Place] = &[Place::at("preflight")];
/// A page of a site.
pub const PAGE: &[Place] = &[Place::at("page")];
/// The claim of a drop.
pub const CLAIM: &[Place] = &[Place::at("claim")];
/// The end of the claim window.
pub const REMOVAL: &[Place] = &[Place::at("removal")];
