//! Requests about files.

use ls_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, DocumentHighlightRequest, DocumentSymbolRequest,
    ExecuteCommand, FoldingRangeRequest, Formatting, GotoDefinition, HoverRequest, InlayHintRequest,
    PrepareRenameRequest, References, Rename, Request as _, SemanticTokensFullRequest,
    WorkspaceSymbolRequest,
};
use ls_types::{
    CodeActionParams, CodeLensParams, CompletionParams, DocumentFormattingParams, DocumentHighlightParams,
    DocumentSymbolParams, ExecuteCommandParams, FoldingRangeParams, GotoDefinitionParams, HoverParams,
    InlayHintParams, ReferenceParams, RenameParams, SemanticTokensParams, TextDocumentIdentifier,
    TextDocumentPositionParams, WorkspaceSymbolParams,
};
use lsp_server::ErrorCode;
use serde_json::Value as Json;

use super::document::LspDocument;
use super::lenses::{DRAW, PLAY};
use super::reply::{RequestAnswer, RequestFault, answer};
use super::server::LanguageServer;

impl LanguageServer {
    /// Serves a request about files.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "a method of a type with a lifetime is not general enough"
    )]
    pub(super) fn serve_feature(&mut self, method: &str, params: Json) -> RequestAnswer {
        match method {
            GotoDefinition::METHOD => answer(params, |params: GotoDefinitionParams| {
                self.work_off();
                let place = params.text_document_position_params;
                Ok(self.at(&place, |document, at| document.definitions(at)))
            }),
            References::METHOD => answer(params, |params: ReferenceParams| {
                self.work_off();
                let with_declaration = params.context.include_declaration;
                Ok(self.at(&params.text_document_position, |document, at| {
                    document.references(at, with_declaration)
                }))
            }),
            DocumentHighlightRequest::METHOD => answer(params, |params: DocumentHighlightParams| {
                self.work_off();
                Ok(self.at(&params.text_document_position_params, |document, at| document.highlights(at)))
            }),
            PrepareRenameRequest::METHOD => answer(params, |place: TextDocumentPositionParams| {
                self.work_off();
                self.at(&place, |document, at| document.renamable(at)).transpose()
            }),
            Rename::METHOD => answer(params, |params: RenameParams| {
                self.work_off();
                let rename = |document: &LspDocument<'_>, at| document.rename(at, &params.new_name);
                self.at(&params.text_document_position, rename).transpose()
            }),
            HoverRequest::METHOD => answer(params, |params: HoverParams| {
                let place = params.text_document_position_params;
                // What is said of another file is what its own examination knows.
                if let Some(file) = self.at(&place, |document, at| document.named_file(at)).flatten() {
                    self.refresh(&file);
                }
                Ok(self.at(&place, |document, at| document.hover(at)).flatten())
            }),
            DocumentSymbolRequest::METHOD => answer(params, |params: DocumentSymbolParams| {
                Ok(self.of(&params.text_document, |document| document.symbols()))
            }),
            WorkspaceSymbolRequest::METHOD => answer(params, |params: WorkspaceSymbolParams| {
                self.work_off();
                Ok(self.workspace.named(&params.query))
            }),
            FoldingRangeRequest::METHOD => answer(params, |params: FoldingRangeParams| {
                Ok(self.of(&params.text_document, |document| document.folds()))
            }),
            SemanticTokensFullRequest::METHOD => answer(params, |params: SemanticTokensParams| {
                Ok(self.of(&params.text_document, |document| document.tokens()))
            }),
            InlayHintRequest::METHOD => answer(params, |params: InlayHintParams| {
                Ok(self.of(&params.text_document, |document| document.hints(params.range)))
            }),
            CodeLensRequest::METHOD => answer(params, |params: CodeLensParams| {
                self.work_off();
                Ok(self.of(&params.text_document, |document| document.lenses()))
            }),
            ExecuteCommand::METHOD => answer(params, |params: ExecuteCommandParams| self.execute(&params)),
            CodeActionRequest::METHOD => answer(params, |params: CodeActionParams| {
                let with_related = self.shows_related();
                Ok(self.of(&params.text_document, |document| {
                    document.actions(params.range, &document.workspace.names, with_related)
                }))
            }),
            Completion::METHOD => answer(params, |params: CompletionParams| {
                Ok(self.at(&params.text_document_position, |document, at| document.completions(at)))
            }),
            Formatting::METHOD => answer(params, |params: DocumentFormattingParams| {
                self.of(&params.text_document, |document| document.formatted()).transpose()
            }),
            _ => Err(RequestFault::new(ErrorCode::MethodNotFound, format!("there is no `{method}` here"))),
        }
    }

    fn execute(&mut self, params: &ExecuteCommandParams) -> Result<Json, RequestFault> {
        let argument = |at: usize| params.arguments.get(at).and_then(Json::as_str);
        let uri = argument(0).and_then(|uri| uri.parse().ok());
        let name = uri.and_then(|uri| self.workspace.names.of_uri(&uri));
        let name =
            name.ok_or_else(|| RequestFault::new(ErrorCode::InvalidParams, "the first argument is a file"))?;
        match params.command.as_str() {
            PLAY => self.workspace.play(&name, argument(1)),
            DRAW => self.workspace.draw(&name),
            other => {
                Err(RequestFault::new(ErrorCode::InvalidParams, format!("there is no command `{other}`")))
            }
        }
    }

    /// Serves a request about a place; nothing where there is no such file.
    fn at<R>(
        &mut self,
        place: &TextDocumentPositionParams,
        serve: impl FnOnce(&LspDocument<'_>, usize) -> R,
    ) -> Option<R> {
        self.of(&place.text_document, |document| serve(document, document.offset(place.position)))
    }

    /// Serves a request about a file; nothing where there is no such file.
    fn of<R>(
        &mut self,
        document: &TextDocumentIdentifier,
        serve: impl FnOnce(&LspDocument<'_>) -> R,
    ) -> Option<R> {
        let name = self.workspace.names.of_uri(&document.uri)?;
        self.refresh(&name);
        LspDocument::new(&self.workspace, &name).map(|document| serve(&document))
    }

    /// Examines what is needed to know something of a file as it is now.
    fn refresh(&mut self, name: &str) {
        while !self.workspace.is_known(name) && self.has_work() {
            match self.workspace.reader_of(name) {
                Some(reader) => {
                    self.workspace.examine(&reader);
                    self.publish(&|file| file == name);
                }
                None => self.work(),
            }
        }
        self.publish_if_idle();
    }
}
