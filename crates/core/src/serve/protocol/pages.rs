//! Long lists, page by page.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// The most items on a page.
const MAX_PAGE_ITEMS: usize = 50;

/// A page of a list, and the cursor of the next one. A cursor is the number of items before it.
///
/// # Errors
/// The cursor is none that was given out.
pub(super) fn page<T>(
    items: Vec<T>,
    request: Option<&PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let from = match request.and_then(|request| request.cursor.as_deref()) {
        None => 0,
        Some(cursor) => match cursor.parse() {
            Ok(from) if from < items.len() && from % MAX_PAGE_ITEMS == 0 => from,
            _ => return Err(ErrorData::invalid_params("the cursor is none of this list", None)),
        },
    };
    let to = from + MAX_PAGE_ITEMS;
    let next = (to < items.len()).then(|| to.to_string());
    Ok((items.into_iter().skip(from).take(MAX_PAGE_ITEMS).collect(), next))
}

#[cfg(test)]
mod tests {
    use rmcp::model::PaginatedRequestParams;

    use super::page;

    #[test]
    fn pages_hold_every_item_once() {
        let all: Vec<usize> = (0..120).collect();
        let mut found = Vec::new();
        let mut cursor = None;
        loop {
            let request = PaginatedRequestParams::default().with_cursor(cursor);
            let (items, next) = page(all.clone(), Some(&request)).expect("the cursor was given out");
            found.extend(items);
            if next.is_none() {
                break;
            }
            cursor = next;
        }
        assert_eq!(found, all);
        for odd in ["", "7", "-50", "150", "200", "99999999999999999999", "x"] {
            let request = PaginatedRequestParams::default().with_cursor(Some(odd.to_owned()));
            page(all.clone(), Some(&request)).expect_err(odd);
        }
        assert_eq!(page(Vec::<usize>::new(), None).expect("it is empty"), (Vec::new(), None));
    }
}
