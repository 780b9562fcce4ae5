//! Data that only the thread that made it may touch.

/// A number that no two living threads share.
#[inline]
pub(super) fn mark() -> usize {
    thread_local! {
        static PLACE: u8 = const { 0 };
    }
    PLACE.with(|place| std::ptr::from_ref(place).addr())
}

/// A value for one thread. It may be dropped anywhere.
pub(crate) struct Local<T> {
    owner: usize,
    value: T,
}

// SAFETY: a reference to the value is handed out on the owning thread alone (`get` compares), so
// sharing the cell shares nothing; dropping the value elsewhere is what `T: Send` allows. A mark is
// used again only after its thread has ended, when nobody else can hold a reference.
unsafe impl<T: Send> Sync for Local<T> {}

impl<T> Local<T> {
    /// A value for the calling thread.
    pub(crate) fn new(value: T) -> Self {
        Self {
            owner: mark(),
            value,
        }
    }

    /// The value, or `None` on a thread that does not own it.
    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        (mark() == self.owner).then_some(&self.value)
    }
}
