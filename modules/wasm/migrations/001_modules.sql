-- expand: adds tables; locks none in use.
CREATE TABLE wasm_modules (
	id {id},
	realm_id {int} NOT NULL,
	name text NOT NULL,
	version text NOT NULL,
	manifest text NOT NULL,
	hash text NOT NULL,
	file {bytes} NOT NULL,
	disabled text NOT NULL,
	next_run {time},
	installed_at {time} NOT NULL
);
CREATE UNIQUE INDEX wasm_modules_name ON wasm_modules (realm_id, name);
CREATE INDEX wasm_modules_next_run ON wasm_modules (next_run);
CREATE TABLE wasm_values (
	module_id {int} NOT NULL,
	user_id {int} NOT NULL,
	key text {bytewise} NOT NULL,
	realm_id {int} NOT NULL,
	value text NOT NULL,
	size {int} NOT NULL,
	PRIMARY KEY (module_id, user_id, key)
);
CREATE INDEX wasm_values_realm ON wasm_values (realm_id);
CREATE INDEX wasm_values_user ON wasm_values (user_id);
CREATE TABLE wasm_calls (
	id {id},
	realm_id {int} NOT NULL,
	module_id {int} NOT NULL,
	message_id {int} NOT NULL,
	due_at {time} NOT NULL
);
CREATE INDEX wasm_calls_due ON wasm_calls (due_at);
CREATE INDEX wasm_calls_realm ON wasm_calls (realm_id);
