//! An application's list of headers, read without running Python code.

use alula_server::{ExchangeId, Handler, SendError, Worker};
use pyo3::ffi;
use pyo3::prelude::*;

/// A list or tuple whose items can be read in place.
#[derive(Clone, Copy)]
struct Items {
    first: *const *mut ffi::PyObject,
    length: usize,
}

impl Items {
    /// The items of an exact list or tuple.
    ///
    /// # Safety
    ///
    /// `object` must be alive, the thread attached; the items are good until Python code runs.
    #[inline]
    unsafe fn of(object: *mut ffi::PyObject) -> Option<Self> {
        // SAFETY: the layouts are those of the exact types.
        unsafe {
            if ffi::PyList_CheckExact(object) != 0 {
                let list = object.cast::<ffi::PyListObject>();
                let length = ffi::PyList_GET_SIZE(object).cast_unsigned();
                Some(Self {
                    first: (*list).ob_item.cast_const(),
                    length,
                })
            } else if ffi::PyTuple_CheckExact(object) != 0 {
                let tuple = object.cast::<ffi::PyTupleObject>();
                let length = ffi::PyTuple_GET_SIZE(object).cast_unsigned();
                Some(Self {
                    first: (&raw const (*tuple).ob_item).cast(),
                    length,
                })
            } else {
                None
            }
        }
    }

    /// # Safety
    ///
    /// `index` must be below the length.
    #[inline]
    unsafe fn get(self, index: usize) -> *mut ffi::PyObject {
        // SAFETY: as the caller promises.
        unsafe { *self.first.add(index) }
    }
}

/// The bytes of an exact bytes object.
///
/// # Safety
///
/// `object` must be alive, and stay so while the result is used.
#[inline]
unsafe fn bytes<'a>(object: *mut ffi::PyObject) -> Option<&'a [u8]> {
    // SAFETY: an exact bytes object never changes.
    unsafe {
        if ffi::PyBytes_CheckExact(object) == 0 {
            return None;
        }
        let first = ffi::PyBytes_AS_STRING(object).cast::<u8>();
        Some(std::slice::from_raw_parts(
            first,
            ffi::Py_SIZE(object).cast_unsigned(),
        ))
    }
}

/// The name and value of one item.
///
/// # Safety
///
/// As for [`Items::of`] and [`bytes`].
#[inline]
unsafe fn pair<'a>(item: *mut ffi::PyObject) -> Option<(&'a [u8], &'a [u8])> {
    // SAFETY: as the caller promises; both indices are below the length.
    unsafe {
        let items = Items::of(item).filter(|items| items.length == 2)?;
        Some((bytes(items.get(0))?, bytes(items.get(1))?))
    }
}

/// Starts the answer `id` with `headers`, where those are a list or tuple of pairs of bytes;
/// `None`, with nothing done, where they are anything else.
#[inline]
pub(crate) fn respond<H: Handler>(
    worker: &Worker<H>,
    id: ExchangeId,
    status: u16,
    headers: &Bound<'_, PyAny>,
) -> Option<Result<(), SendError>> {
    // SAFETY: `headers` is alive and the thread attached. No Python code runs before the end of
    // this function: the checks run none, and `Worker::respond` only copies the bytes (the engine
    // knows no Python, and calls no handler there).
    unsafe {
        let items = Items::of(headers.as_ptr())?;
        let all = (0..items.length).map(|index| pair(items.get(index)));
        if all.clone().any(|pair| pair.is_none()) {
            return None;
        }
        Some(worker.respond(id, status, all.flatten()))
    }
}
