// Package apidocs serves a description of the API: an OpenAPI document of what the modules of this server declare, and
// pages for people, which the server renders from the document. See modules/kit/openapi.
//
// The pages need no script, which only lets results follow what is typed into the search, and lets people who are
// logged in try operations. Their frame is translated; what describes the API is English.
//
// Tables, events: none.
package apidocs
