//! The command line of cardan.

fn main() {
    println!("cardan {}", env!("CARGO_PKG_VERSION"));
}
