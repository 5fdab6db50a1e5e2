//! A list in two layers: a frozen beginning that copies share, and an end of its own that grows.
//!
//! A finished model freezes its pool. Each derivation then works on an overlay: it sees all
//! expressions of the model, and what it adds stays its own.

use std::ops::Index;
use std::sync::Arc;

/// A list that grows at its end. Copying it copies the end only.
#[derive(Clone)]
pub(crate) struct Layers<T> {
    frozen: Arc<[T]>,
    own: Vec<T>,
}

impl<T> Layers<T> {
    pub fn new() -> Self {
        Layers { frozen: Arc::from([]), own: vec![] }
    }
    #[inline]
    pub fn len(&self) -> usize {
        self.frozen.len() + self.own.len()
    }
    #[inline]
    pub fn push(&mut self, item: T) {
        self.own.push(item);
    }
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.frozen.iter().chain(&self.own)
    }
}

impl<T: Clone> Layers<T> {
    /// Lets copies made from now on share everything that is there.
    pub fn freeze(&mut self) {
        let own = std::mem::take(&mut self.own);
        self.frozen = match self.frozen.is_empty() {
            true => own.into(),
            false => self.frozen.iter().cloned().chain(own).collect(),
        };
    }
    /// All items as a list of its own, for changes before the end.
    pub fn thawed(&mut self) -> &mut Vec<T> {
        if !self.frozen.is_empty() {
            let own = std::mem::take(&mut self.own);
            self.own = self.frozen.iter().cloned().chain(own).collect();
            self.frozen = Arc::from([]);
        }
        &mut self.own
    }
}

impl<T> Index<usize> for Layers<T> {
    type Output = T;

    #[inline]
    fn index(&self, k: usize) -> &T {
        match self.frozen.get(k) {
            Some(item) => item,
            None => &self.own[k - self.frozen.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Layers;

    #[test]
    fn a_copy_sees_what_was_frozen_and_adds_for_itself() {
        let mut list = Layers::new();
        (0..5).for_each(|k| list.push(k));
        list.freeze();
        list.push(5);
        let (mut left, mut right) = (list.clone(), list.clone());
        left.push(60);
        right.push(61);
        assert_eq!(list.len(), 6);
        assert_eq!((left[6], right[6]), (60, 61));
        assert_eq!(left.iter().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 60]);
        left.freeze();
        assert_eq!((left[0], left[6], left.len()), (0, 60, 7));
        right.thawed()[1] = 100;
        assert_eq!((right[1], right[6], list[1]), (100, 61, 1));
    }
}
