// Package audit keeps the audit log of each organization: who changed what in its administration, when, and from where.
//
// The kernel runs the hook event audit.Committing as the last step of every transaction that changes shared facts or
// states facts through ports.Audit. This module turns both into entries and writes them in the same transaction, so
// that there is neither a change without an entry nor an entry without a change. Sending messages does neither, and
// costs nothing. The actions are those of domain/audit. Values never contain the content of messages, and secrets are
// shown as audit.Secret.
//
// The entries of an organization are numbered without gaps. The hash of each is the SHA-256 of the former entry's hash
// and its own content, so that no entry can be changed, removed or inserted without changing all later hashes. The head
// is a row that a transaction locks last, after the realm's log; backups contain it, too. When old entries are deleted,
// the number and hash of the last of them remain as the anchor from which the rest is verified.
//
// Personal data is not part of the chain, since it can be erased. The address and the app of the caller (the part
// "source") and names and email addresses (the part "values") are in the table audit_personal, with a random salt. The
// chain contains only the SHA-256 of salt and content, from which nobody can find the content once both are deleted. An
// entry whose parts were erased therefore remains verifiable; a part that was changed does not match its digest.
//
// Jobs send the entries to a file, a syslog collector or a URL, from a position per sink and realm. They repeat what
// fails, so that an entry may arrive twice; a metric counts what was deleted before a sink accepted it.
//
// Tables: audit, audit_personal, audit_heads, audit_sinks.
package audit
