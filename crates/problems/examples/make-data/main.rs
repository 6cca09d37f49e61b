//! Writes the frozen problems of `data/`, bit for bit the same on every run.
//!
//! ```text
//! cargo run -p delassus-problems --example make-data [FOLDER]
//! ```

mod frozen;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data");
    let folder = PathBuf::from(
        std::env::args()
            .nth(1)
            .unwrap_or_else(|| default.to_owned()),
    );
    std::fs::create_dir_all(&folder)?;
    for (name, bytes) in frozen::files()? {
        std::fs::write(folder.join(name), &bytes)?;
        println!("{name}: {} bytes", bytes.len());
    }
    Ok(())
}
