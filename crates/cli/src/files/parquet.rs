//! Tables as Parquet files: required columns, plain encoding, one row group, no compression.
//!
//! ```text
//! [file]     "PAR1"  page of column 1  page of column 2  …  footer  length of footer (u32)  "PAR1"
//! [footer]   FileMetaData in Thrift's compact protocol
//! ```
//!
//! Apache Parquet format 2.x; only what these tables need of it is written, and every reader knows that part. Numbers stand in
//! the files bit for bit.

/// The cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Numbers.
    Real(Vec<f64>),
    /// Texts.
    Text(Vec<&'static str>),
}

/// A named column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    pub unit: String,
    pub cells: Cells,
}

impl Cells {
    /// The number of Parquet's physical type.
    fn kind(&self) -> i64 {
        match self {
            Cells::Whole(_) => 2,
            Cells::Real(_) => 5,
            Cells::Text(_) => 6,
        }
    }

    fn len(&self) -> usize {
        match self {
            Cells::Whole(v) => v.len(),
            Cells::Real(v) => v.len(),
            Cells::Text(v) => v.len(),
        }
    }

    fn plain(&self) -> Vec<u8> {
        match self {
            Cells::Whole(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Cells::Real(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Cells::Text(v) => {
                v.iter().flat_map(|s| [&(s.len() as u32).to_le_bytes()[..], s.as_bytes()].concat()).collect()
            }
        }
    }
}

/// A structure in Thrift's compact protocol, field by field in rising order.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    last: u8,
}

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

fn varint(mut n: u64, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn zigzag(n: i64, out: &mut Vec<u8>) {
    varint(((n << 1) ^ (n >> 63)) as u64, out);
}

fn text(s: &str, out: &mut Vec<u8>) {
    varint(s.len() as u64, out);
    out.extend(s.as_bytes());
}

impl Thrift {
    fn field(&mut self, id: u8, kind: u8) -> &mut Vec<u8> {
        self.bytes.push((id - self.last) << 4 | kind);
        self.last = id;
        &mut self.bytes
    }
    fn i32(mut self, id: u8, n: i64) -> Self {
        zigzag(n, self.field(id, I32));
        self
    }
    fn i64(mut self, id: u8, n: usize) -> Self {
        zigzag(n as i64, self.field(id, I64));
        self
    }
    fn text(mut self, id: u8, s: &str) -> Self {
        text(s, self.field(id, BINARY));
        self
    }
    fn part(mut self, id: u8, part: Thrift) -> Self {
        self.field(id, STRUCT).extend(part.end());
        self
    }
    fn list(mut self, id: u8, kind: u8, items: Vec<Vec<u8>>) -> Self {
        let out = self.field(id, LIST);
        match items.len() {
            n @ 0..15 => out.push((n as u8) << 4 | kind),
            n => {
                out.push(0xf0 | kind);
                varint(n as u64, out);
            }
        }
        items.into_iter().for_each(|item| out.extend(item));
        self
    }
    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

/// The whole file. `[file]`
pub fn parquet(columns: &[Column]) -> Vec<u8> {
    let n_rows = columns.first().map_or(0, |c| c.cells.len());
    let mut out = b"PAR1".to_vec();
    let mut chunks = vec![];
    let mut total = 0;
    for column in columns {
        let data = column.cells.plain();
        // Encodings: 0 plain for values; 3 for levels, of which required columns have none.
        let page = Thrift::default().i32(1, n_rows as i64).i32(2, 0).i32(3, 3).i32(4, 3);
        let size = data.len() as i64;
        let head = Thrift::default().i32(1, 0).i32(2, size).i32(3, size).part(5, page).end();
        let (start, length) = (out.len(), head.len() + data.len());
        out.extend(head);
        out.extend(data);
        total += length;
        let mut path = vec![];
        text(&column.name, &mut path);
        let mut plain = vec![];
        zigzag(0, &mut plain);
        let about = Thrift::default()
            .i32(1, column.cells.kind())
            .list(2, I32, vec![plain])
            .list(3, BINARY, vec![path])
            .i32(4, 0)
            .i64(5, n_rows)
            .i64(6, length)
            .i64(7, length)
            .i64(9, start);
        chunks.push(Thrift::default().i64(2, start).part(3, about).end());
    }
    let mut schema = vec![Thrift::default().text(4, "table").i32(5, columns.len() as i64).end()];
    schema.extend(columns.iter().map(|c| {
        let element = Thrift::default().i32(1, c.cells.kind()).i32(3, 0).text(4, &c.name);
        // Texts are UTF-8.
        if matches!(c.cells, Cells::Text(_)) { element.i32(6, 0).end() } else { element.end() }
    }));
    let group = Thrift::default().list(1, STRUCT, chunks).i64(2, total).i64(3, n_rows).end();
    let units = columns.iter().filter(|c| !c.unit.is_empty());
    let units =
        units.map(|c| Thrift::default().text(1, &format!("unit of {}", c.name)).text(2, &c.unit).end());
    let footer = Thrift::default()
        .i32(1, 1)
        .list(2, STRUCT, schema)
        .i64(3, n_rows)
        .list(4, STRUCT, vec![group])
        .list(5, STRUCT, units.collect())
        .text(6, concat!("cardan ", env!("CARGO_PKG_VERSION")))
        .end();
    out.extend(&footer);
    out.extend((footer.len() as u32).to_le_bytes());
    out.extend(b"PAR1");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_length_numbers() {
        let bytes = |n: i64| {
            let mut out = vec![];
            zigzag(n, &mut out);
            out
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(-1), [1]);
        assert_eq!(bytes(1), [2]);
        assert_eq!(bytes(300), [0xd8, 4]);
        assert_eq!(bytes(i64::MIN), [[0xff; 9].as_slice(), &[1]].concat());
    }

    /// The bytes of a small file, which three independent readers (Arrow, DuckDB, fastparquet) were seen to accept.
    #[test]
    fn a_small_file() {
        let column = |name: &str, cells| Column { name: name.into(), unit: String::new(), cells };
        let file = parquet(&[
            column("k", Cells::Whole(vec![1, -2])),
            column("x", Cells::Real(vec![0.5, f64::NAN])),
            column("end", Cells::Text(vec!["finished", "failed"])),
        ]);
        assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
        let length = u32::from_le_bytes(file[file.len() - 8..file.len() - 4].try_into().expect("four bytes"));
        // The first page follows the mark: a header of eighteen bytes, then the numbers as they are.
        let at = file.windows(16).position(|w| w == [1i64.to_le_bytes(), (-2i64).to_le_bytes()].concat());
        assert_eq!(at, Some(4 + 17));
        let footer = file.len() - 8 - length as usize;
        assert_eq!(&file[footer..footer + 4], [0x15, 2, 0x19, 0x4c], "version 1, then four schema elements");
    }
}
