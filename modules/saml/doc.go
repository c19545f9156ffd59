// Package saml logs in users through SAML 2.0, with the web browser SSO profile: the server, which is a service
// provider, sends the browser to an identity provider, which sends it back with a signed assertion about the person.
// The module identities decides who may enter.
//
// Rules:
//
//   - Everything that is needed to trust a provider comes from the configuration: its metadata, or its entity ID,
//     address and certificates. Certificates in a message are never trusted by themselves.
//   - A message is refused before it is verified if it contains what no provider needs to send (xml.go): a DOCTYPE,
//     comments, a second assertion, parts without meaning, an ID twice, or an algorithm that is not allowed. Then the
//     library verifies it, and what is read is what the signature covers.
//   - An answer belongs to one login, in the browser that began it, and its assertion is used once: assertions are
//     remembered in the database, for all nodes, until nobody would accept them.
//   - Metadata is read up to a megabyte, within ten seconds, without redirects. While it cannot be read, the provider's
//     button says so at once, and other ways to log in work.
//   - A provider can end sessions by a request to log out, which it signs and the browser brings to /saml/ID/logout. It
//     counts once.
//   - An identity is the provider's entity ID and a persistent NameID, or an attribute that never changes. A transient
//     NameID identifies nobody.
//
// Tables: saml_assertions. Ports: it uses Identities. Queries: it answers signin.Methods.
package saml
