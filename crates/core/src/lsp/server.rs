//! The conversation with a client.

use std::collections::BTreeMap;

use ls_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidChangeWorkspaceFolders, DidCloseTextDocument,
    DidOpenTextDocument, DidSaveTextDocument, LogMessage, Notification as _, PublishDiagnostics,
};
use ls_types::request::{Initialize, RegisterCapability, Request as _, Shutdown};
use ls_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWatchedFilesRegistrationOptions, DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandOptions, FileSystemWatcher,
    FoldingRangeProviderCapability, GlobPattern, HoverProviderCapability, InitializeParams, InitializeResult,
    LogMessageParams, MessageType, OneOf, PositionEncodingKind, PublishDiagnosticsParams, Registration,
    RegistrationParams, RenameOptions, SaveOptions, SemanticTokensFullOptions, SemanticTokensOptions,
    SemanticTokensServerCapabilities, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
    WorkspaceFolder, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::buffer::Buffer;
use super::file_names::path;
use super::lenses::{DRAW, PLAY};
use super::placed_finding::PlacedFinding;
use super::reply::{RequestAnswer, RequestFault, answer, response};
use super::text_index::ColumnUnit;
use super::tokens::legend;
use super::workspace::Workspace;
use crate::app::trust::Consent;
use crate::drive::Disk;

/// The files that the client is asked to watch.
const WATCHED: &str = "**/*.{yaml,yml,loop,toml,md,txt,j2,jinja}";

/// The stages of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConversationStage {
    /// The client has not said what it can do.
    Begun,
    Open,
    /// The client has said that it will go.
    ShutDown,
    /// It has gone.
    Over {
        /// True if it said before that it would.
        orderly: bool,
    },
}

/// A language server. It says nothing but what it is asked, and findings.
#[derive(Debug)]
pub struct LanguageServer {
    stage: ConversationStage,
    pub(super) workspace: Workspace,
    capabilities: ClientCapabilities,
    /// The findings that the client was given, by file.
    published: BTreeMap<String, Vec<PlacedFinding>>,
    /// The file whose text changed since its findings were published.
    outstanding: Option<String>,
    /// Messages to the client.
    outgoing: Vec<Message>,
}

impl LanguageServer {
    /// The method of what could not be read.
    pub(super) const UNREADABLE: &str = "$/unreadable";

    /// A server that reads from this disk, with what the user allowed.
    #[must_use]
    pub fn new(disk: Disk, consent: Consent) -> Self {
        Self {
            stage: ConversationStage::Begun,
            workspace: Workspace::new(disk, consent),
            capabilities: ClientCapabilities::default(),
            published: BTreeMap::new(),
            outstanding: None,
            outgoing: Vec::new(),
        }
    }

    /// Serves a client until it goes. Gives true if it said before that it would.
    #[must_use]
    pub fn serve(mut self, connection: &Connection) -> bool {
        loop {
            let message = if self.has_work() {
                // What the client says goes first: a newer text makes work needless.
                connection.receiver.try_recv().map_err(|error| error.is_disconnected())
            } else {
                connection.receiver.recv().map_err(|_| true)
            };
            match message {
                Ok(message) => self.receive(message),
                Err(true) => return false,
                Err(false) => self.work(),
            }
            let is_heard =
                self.take_messages().into_iter().all(|message| connection.sender.send(message).is_ok());
            if let ConversationStage::Over { orderly } = self.stage {
                return orderly;
            }
            if !is_heard {
                return false;
            }
        }
    }

    /// Takes the messages to the client.
    pub fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.outgoing)
    }

    /// Returns true if files are still to be examined.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.stage == ConversationStage::Open && self.workspace.next().is_some()
    }

    /// The findings that the client was given last, by file.
    #[must_use]
    pub const fn published(&self) -> &BTreeMap<String, Vec<PlacedFinding>> {
        &self.published
    }

    /// Takes a message of the client. Whatever is wrong with it is answered.
    pub fn receive(&mut self, message: Message) {
        match message {
            Message::Request(request) => {
                let served = self.serve_request(&request.method, request.params.clone());
                self.outgoing.push(response(request, served));
            }
            Message::Notification(notification) => self.hear(notification),
            // Answers to what was asked of the client: nothing depends on them.
            Message::Response(_) => {}
        }
    }

    /// Examines one file, and publishes what is found.
    pub fn work(&mut self) {
        let Some(name) = self.workspace.next() else { return };
        self.workspace.examine(&name);
        if self.has_work() {
            let mut files = self.workspace.open_parts(&name);
            files.push(name);
            self.publish(&|file| files.iter().any(|own| own == file));
        } else {
            self.publish(&|_| true);
        }
    }

    /// Examines all files that are to be examined.
    pub(super) fn work_off(&mut self) {
        while self.has_work() {
            self.work();
        }
    }

    /// Publishes findings of files that have others than the client knows, and of the one that was edited.
    pub(super) fn publish(&mut self, wanted: &dyn Fn(&str) -> bool) {
        let found = self.workspace.findings();
        let mut changed: BTreeMap<String, Vec<PlacedFinding>> = BTreeMap::new();
        let known = self.published.keys().map(String::as_str);
        let edited = self.outstanding.as_deref();
        for file in found.keys().copied().chain(known).chain(edited).filter(|file| wanted(file)) {
            let new = found.get(file).map_or(&[][..], Vec::as_slice);
            let old = self.published.get(file).map_or(&[][..], Vec::as_slice);
            if edited == Some(file) || !new.iter().copied().eq(old) {
                changed.insert(file.to_owned(), new.iter().map(|finding| (*finding).clone()).collect());
            }
        }
        self.outstanding.take_if(|edited| changed.contains_key(edited));
        for (file, findings) in changed {
            self.send_findings(&file, &findings);
            if findings.is_empty() {
                self.published.remove(&file);
            } else {
                self.published.insert(file, findings);
            }
        }
    }

    fn send_findings(&mut self, file: &str, findings: &[PlacedFinding]) {
        let names = &self.workspace.names;
        let buffer = self.workspace.buffers.get(file);
        let Some(uri) = buffer.map(|buffer| buffer.uri.clone()).or_else(|| names.uri(file)) else { return };
        let with_related = self.shows_related();
        let diagnostics = findings.iter().map(|finding| finding.diagnostic(names, with_related)).collect();
        let version = buffer.map(|buffer| buffer.version);
        let params = PublishDiagnosticsParams { uri, diagnostics, version };
        self.outgoing.push(Notification::new(PublishDiagnostics::METHOD.to_owned(), params).into());
    }

    /// True if the client shows places that belong to a finding.
    pub(super) fn shows_related(&self) -> bool {
        let document = self.capabilities.text_document.as_ref();
        let published = document.and_then(|own| own.publish_diagnostics.as_ref());
        published.is_some_and(|own| own.related_information == Some(true))
    }

    fn log(&mut self, message: impl Into<String>) {
        let params = LogMessageParams { typ: MessageType::WARNING, message: message.into() };
        self.outgoing.push(Notification::new(LogMessage::METHOD.to_owned(), params).into());
    }

    fn hear(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        if method == "exit" {
            self.stage = ConversationStage::Over { orderly: self.stage == ConversationStage::ShutDown };
        }
        if self.stage != ConversationStage::Open {
            return;
        }
        let heard = match method.as_str() {
            "initialized" => {
                self.begin();
                Ok(())
            }
            DidOpenTextDocument::METHOD => read(params).map(|params| self.did_open(params)),
            DidChangeTextDocument::METHOD => read(params).and_then(|params| self.did_change(params)),
            DidCloseTextDocument::METHOD => read(params).map(|params| self.did_close(&params)),
            DidSaveTextDocument::METHOD => read(params).map(|params| self.did_save(&params)),
            DidChangeWatchedFiles::METHOD => read(params).map(|params| self.did_change_files(&params)),
            DidChangeWorkspaceFolders::METHOD => read(params).map(|params| self.did_change_folders(&params)),
            Self::UNREADABLE => Err("a message was ignored: it is not JSON-RPC".to_owned()),
            // Who sends others, such as `$/cancelRequest`, does not count on anything.
            _ => Ok(()),
        };
        if let Err(why) = heard {
            self.log(format!("{method}: {why}"));
        }
    }

    fn begin(&mut self) {
        self.workspace.list();
        let watch =
            self.capabilities.workspace.as_ref().and_then(|own| own.did_change_watched_files.as_ref());
        if watch.is_none_or(|own| own.dynamic_registration != Some(true)) {
            return;
        }
        let watcher = FileSystemWatcher { glob_pattern: GlobPattern::String(WATCHED.to_owned()), kind: None };
        let options = DidChangeWatchedFilesRegistrationOptions { watchers: vec![watcher] };
        let registration = Registration {
            id: "files".to_owned(),
            method: DidChangeWatchedFiles::METHOD.to_owned(),
            register_options: serde_json::to_value(options).ok(),
        };
        let params = RegistrationParams { registrations: vec![registration] };
        let method = RegisterCapability::METHOD.to_owned();
        self.outgoing.push(Request::new("files".to_owned().into(), method, params).into());
    }

    fn did_open(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        if let Some(name) = self.workspace.names.of_uri(&document.uri) {
            let buffer = Buffer { uri: document.uri, text: document.text, version: document.version };
            self.workspace.open(&name, buffer);
            self.outstanding = Some(name);
            self.publish_if_idle();
        }
    }

    fn did_change(&mut self, params: DidChangeTextDocumentParams) -> Result<(), String> {
        let document = params.text_document;
        let Some(name) = self.workspace.names.of_uri(&document.uri) else { return Ok(()) };
        let unit = self.workspace.unit;
        let buffer = self.workspace.buffers.get_mut(&name).ok_or("a text was changed that is not open")?;
        for change in params.content_changes {
            buffer.change(change, unit);
        }
        buffer.version = document.version;
        self.workspace.note_edit(&name);
        self.outstanding = Some(name);
        self.publish_if_idle();
        Ok(())
    }

    fn did_close(&mut self, params: &DidCloseTextDocumentParams) {
        if let Some(name) = self.workspace.names.of_uri(&params.text_document.uri) {
            self.workspace.close(&name);
            self.publish_if_idle();
        }
    }

    fn did_save(&mut self, params: &DidSaveTextDocumentParams) {
        if let Some(name) = self.workspace.names.of_uri(&params.text_document.uri) {
            self.workspace.note_disk(&[name]);
            self.publish_if_idle();
        }
    }

    fn did_change_files(&mut self, params: &DidChangeWatchedFilesParams) {
        let names = params.changes.iter().filter_map(|change| self.workspace.names.of_uri(&change.uri));
        let names: Vec<String> = names.filter(|name| !self.workspace.buffers.contains_key(name)).collect();
        if !names.is_empty() {
            self.workspace.note_disk(&names);
            self.publish_if_idle();
        }
    }

    fn did_change_folders(&mut self, params: &DidChangeWorkspaceFoldersParams) {
        for folder in params.event.removed.iter().filter_map(|folder| path(&folder.uri)) {
            self.workspace.remove_folder(&folder);
        }
        self.add_folders(&params.event.added);
        self.workspace.list();
        self.publish_if_idle();
    }

    /// Files may be gone without others having to be examined.
    pub(super) fn publish_if_idle(&mut self) {
        if !self.has_work() {
            self.publish(&|_| true);
        }
    }

    fn add_folders(&mut self, folders: &[WorkspaceFolder]) {
        for folder in folders.iter().filter_map(|folder| path(&folder.uri)) {
            self.workspace.add_folder(folder);
        }
    }

    fn serve_request(&mut self, method: &str, params: Json) -> RequestAnswer {
        match (method, self.stage) {
            (Initialize::METHOD, ConversationStage::Begun) => {
                answer(params, |params| Ok(self.initialize(params)))
            }
            (_, ConversationStage::Begun) => {
                Err(RequestFault::new(ErrorCode::ServerNotInitialized, "the first request is `initialize`"))
            }
            (Initialize::METHOD, _) | (_, ConversationStage::ShutDown | ConversationStage::Over { .. }) => {
                Err(RequestFault::new(ErrorCode::InvalidRequest, format!("`{method}` cannot be served now")))
            }
            (Shutdown::METHOD, ConversationStage::Open) => {
                self.stage = ConversationStage::ShutDown;
                Ok(Json::Null)
            }
            (_, ConversationStage::Open) => self.serve_feature(method, params),
        }
    }

    fn initialize(&mut self, params: InitializeParams) -> InitializeResult {
        let general = params.capabilities.general.as_ref();
        let encodings = general.and_then(|general| general.position_encodings.as_ref());
        if encodings.is_some_and(|all| all.contains(&PositionEncodingKind::UTF8)) {
            self.workspace.unit = ColumnUnit::Utf8;
        }
        match params.workspace_folders.as_deref() {
            Some(folders) if !folders.is_empty() => self.add_folders(folders),
            _ => {
                #[expect(deprecated, reason = "older clients name their folder in no other way")]
                let root = params.root_uri.as_ref().and_then(path);
                if let Some(folder) = root {
                    self.workspace.add_folder(folder);
                }
            }
        }
        self.capabilities = params.capabilities;
        self.stage = ConversationStage::Open;
        InitializeResult {
            capabilities: capabilities(self.workspace.unit),
            server_info: Some(ServerInfo {
                name: "loopwright".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            ..InitializeResult::default()
        }
    }
}

/// The parameters of a notification, or what is wrong with them.
fn read<P: DeserializeOwned>(params: Json) -> Result<P, String> {
    serde_json::from_value(params).map_err(|error| error.to_string())
}

/// The services that are on offer.
fn capabilities(unit: ColumnUnit) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        ..TextDocumentSyncOptions::default()
    };
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    };
    ServerCapabilities {
        position_encoding: Some(match unit {
            ColumnUnit::Utf8 => PositionEncodingKind::UTF8,
            ColumnUnit::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![PLAY.to_owned(), DRAW.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(
            SemanticTokensOptions {
                legend: legend(),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            },
        )),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([".", " ", "'", "{", "("].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            ..WorkspaceServerCapabilities::default()
        }),
        ..ServerCapabilities::default()
    }
}
