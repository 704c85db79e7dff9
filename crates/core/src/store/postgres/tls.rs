//! TLS as `sslmode` wants it.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::store::postgres_address::{PostgresAddress, TlsMode};

/// What makes connections with TLS for an address.
///
/// # Errors
/// The certificates of the authorities cannot be read.
pub(super) fn connector(address: &PostgresAddress) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(ring::default_provider());
    let checks_host = match (address.tls(), address.authorities()) {
        (TlsMode::VerifyFull, _) => Some(true),
        (TlsMode::VerifyCa, _) | (TlsMode::Require, Some(_)) => Some(false),
        _ => None,
    };
    let authorities = match checks_host {
        None => None,
        Some(host) => {
            let roots = Arc::new(roots(address.authorities().map(std::path::PathBuf::as_path))?);
            let verifier = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider))
                .build()
                .map_err(|error| format!("`sslrootcert`: {error}"))?;
            Some(Authorities { verifier, host })
        }
    };
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(ServerCheck { provider, authorities }))
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// The certificates of a file, or of the system.
fn roots(file: Option<&Path>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    if let Some(file) = file.filter(|file| file.as_os_str() != "system") {
        let unread = |error: &dyn std::fmt::Display| format!("`sslrootcert` {}: {error}", file.display());
        for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unread(&error))? {
            let certificate = certificate.map_err(|error| unread(&error))?;
            roots.add(certificate).map_err(|error| unread(&error))?;
        }
        if roots.is_empty() {
            return Err(unread(&"there is no certificate in it"));
        }
        return Ok(roots);
    }
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(
            "the system has no certificates of authorities; name a file with `sslrootcert`".to_owned()
        );
    }
    Ok(roots)
}

/// The certificates that are taken.
#[derive(Debug)]
struct ServerCheck {
    provider: Arc<CryptoProvider>,
    /// Nothing where any certificate will do.
    authorities: Option<Authorities>,
}

#[derive(Debug)]
struct Authorities {
    verifier: Arc<WebPkiServerVerifier>,
    /// True if the certificate must be for the host.
    host: bool,
}

impl ServerCertVerifier for ServerCheck {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(Authorities { verifier, host }) = &self.authorities else {
            return Ok(ServerCertVerified::assertion());
        };
        // The name is looked at last: who has the wrong one has a right certificate otherwise.
        match verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !host => Ok(ServerCertVerified::assertion()),
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
