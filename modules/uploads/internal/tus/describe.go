package tus

import (
	"net/http"

	"github.com/stoachat/stoa/modules/kit"
)

// described describes the protocol, tus 1.0 with the extensions creation, termination and expiration, for generated
// clients. There are libraries for it in many languages.
func described() []kit.Raw {
	const version = "Tus-Resumable: 1.0.0, the version of the protocol."
	return []kit.Raw{
		{
			ID: "createResumableUpload", Method: http.MethodPost, Status: http.StatusCreated,
			Doc: "Begins an upload in several requests, in the protocol tus 1.0.",
			Needs: []string{
				version, "Upload-Length: The size of the file in bytes.",
				"Upload-Metadata: filename and filetype, each with its value in base64, separated by a comma.",
			},
			Returns: []string{"Location: The URL of the upload.", "Upload-Expires: When the server forgets it."},
		},
		{
			ID: "getResumableUpload", Method: http.MethodHead, Path: "/:upload+", Status: http.StatusOK,
			Doc:     "Returns how much of a resumable upload has arrived.",
			Needs:   []string{version},
			Returns: []string{"Upload-Offset: The number of bytes that have arrived.", "Upload-Length: The size of the file."},
		},
		{
			ID: "continueResumableUpload", Method: http.MethodPatch, Path: "/:upload+", Status: http.StatusNoContent,
			Doc: "Sends the next part of a resumable upload. The response to the last part names the file.",
			Needs: []string{
				version, "Upload-Offset: The number of bytes that have arrived, as the server says.",
			},
			Body: "application/offset+octet-stream",
			Returns: []string{
				"Upload-Offset: The number of bytes that have arrived.", "Upload-Expires: When the server forgets the upload.",
			},
		},
		{
			ID: "cancelResumableUpload", Method: http.MethodDelete, Path: "/:upload+", Status: http.StatusNoContent,
			Doc: "Cancels a resumable upload.", Needs: []string{version},
		},
	}
}
