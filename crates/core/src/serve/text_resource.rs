//! A resource that is a text.

use rmcp::model::{ReadResourceResult, Resource, ResourceContents};

use super::protocol::ServedResource;

/// A resource that is a text.
pub(super) struct TextResource {
    pub(super) address: String,
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: String,
    /// The MIME type.
    pub(super) kind: &'static str,
    pub(super) text: String,
}

impl ServedResource for TextResource {
    fn resource(&self) -> Resource {
        let mut resource = Resource::new(&self.address, &self.name)
            .with_title(&self.title)
            .with_description(&self.description)
            .with_mime_type(self.kind);
        resource.size = u64::try_from(self.text.len()).ok();
        resource
    }

    fn read(&self) -> ReadResourceResult {
        let text = ResourceContents::text(&self.text, &self.address).with_mime_type(self.kind);
        ReadResourceResult::new(vec![text])
    }
}
