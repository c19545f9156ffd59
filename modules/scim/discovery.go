package scim

import (
	"net/http"
	"strings"

	"github.com/stoachat/stoa/modules/scim/internal/filter"
	"github.com/stoachat/stoa/modules/scim/internal/schema"
)

// The schemas of messages.
const (
	listURN     = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
	providerURN = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"
	typeURN     = "urn:ietf:params:scim:schemas:core:2.0:ResourceType"
	schemaURN   = "urn:ietf:params:scim:schemas:core:2.0:Schema"
)

type object = map[string]any

// discover answers what the server supports; see RFC 7644, section 4.
func (s *service) discover(c *call, name, id string) (answer, error) {
	if c.r.URL.Query().Has("filter") {
		return answer{}, forbidden("Filters are not supported here.")
	}
	if name == "ServiceProviderConfig" {
		if id != "" {
			return answer{}, notFound()
		}
		return answer{status: http.StatusOK, body: providerConfig(c.base)}, nil
	}
	all := s.schemas(c.base)
	if name == "ResourceTypes" {
		all = s.resourceTypes(c.base)
	}
	if id == "" {
		return answer{status: http.StatusOK, body: listOf(all, len(all), 1)}, nil
	}
	for _, one := range all {
		if strings.EqualFold(one.(object)["id"].(string), id) {
			return answer{status: http.StatusOK, body: one}, nil
		}
	}
	return answer{}, notFound()
}

// listOf returns a part of a list.
func listOf(resources []any, total, start int) object {
	if resources == nil {
		resources = []any{}
	}
	return object{
		"schemas": []string{listURN}, "totalResults": total, "startIndex": start, "itemsPerPage": len(resources),
		"Resources": resources,
	}
}

func providerConfig(base string) object {
	supported := func(yes bool) object { return object{"supported": yes} }
	return object{
		"schemas":        []string{providerURN},
		"patch":          supported(true),
		"bulk":           object{"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
		"filter":         object{"supported": true, "maxResults": maxPage},
		"changePassword": supported(false),
		"sort":           supported(false),
		"etag":           supported(true),
		"authenticationSchemes": []object{{
			"type": "oauthbearertoken", "name": "Bearer token", "primary": true,
			"description": "A token that an owner of the organization has created.",
		}},
		"meta": object{"resourceType": "ServiceProviderConfig", "location": base + "/ServiceProviderConfig"},
	}
}

func (s *service) types() []*schema.Resource { return []*schema.Resource{s.people, s.groups} }

func (s *service) resourceTypes(base string) []any {
	var all []any
	for _, t := range s.types() {
		one := object{
			"schemas": []string{typeURN}, "id": t.Name, "name": t.Name, "description": t.Description, "endpoint": t.Endpoint,
			"schema": t.Core.ID,
			"meta":   object{"resourceType": "ResourceType", "location": base + "/ResourceTypes/" + t.Name},
		}
		var extensions []object
		for _, e := range t.Extensions {
			extensions = append(extensions, object{"schema": e.ID, "required": false})
		}
		if extensions != nil {
			one["schemaExtensions"] = extensions
		}
		all = append(all, one)
	}
	return all
}

func (s *service) schemas(base string) []any {
	var all []any
	for _, t := range s.types() {
		for _, one := range t.Schemas() {
			all = append(all, object{
				"schemas": []string{schemaURN}, "id": one.ID, "name": one.Name, "description": one.Description,
				"attributes": one.Attributes,
				"meta":       object{"resourceType": "Schema", "location": base + "/Schemas/" + one.ID},
			})
		}
	}
	return all
}

// parseFilter parses the filter of a list; nil if there is none.
func parseFilter(text string) (filter.Expression, error) {
	if text == "" {
		return nil, nil
	}
	e, err := filter.Parse(text)
	if err != nil {
		return nil, fail(http.StatusBadRequest, "invalidFilter", err.Error())
	}
	return e, nil
}
