//! Reads an FCLIB file and writes it again.

use delassus_formats::fclib;

fn main() {
    let mut files = std::env::args().skip(1);
    let (Some(from), Some(to)) = (files.next(), files.next()) else {
        println!("usage: fclib_copy FILE COPY");
        return;
    };
    let bytes = std::fs::read(&from).unwrap_or_default();
    let copy = match fclib::read(&bytes) {
        Ok(file) => fclib::write(&file),
        Err(error) => return println!("{from}: {error}"),
    };
    match copy {
        Ok(bytes) => println!("{from} written to {to}: {:?}", std::fs::write(&to, bytes)),
        Err(error) => println!("{from}: {error}"),
    }
}
