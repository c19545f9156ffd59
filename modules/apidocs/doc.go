// Package apidocs serves a description of the API: an OpenAPI document of what the modules of this server declare. See
// modules/kit/openapi.
//
// Tables, events: none.
package apidocs
