//! What the documents encode: golden cases, and who confirmed them.
