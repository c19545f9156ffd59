"""Logs in and out with pysaml2 as the provider. .ci/saml calls it with the server's URL and a folder of keys."""

import base64
import functools
import http.cookiejar
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

import saml2.entity
from saml2 import BINDING_HTTP_REDIRECT, config, server
from saml2.authn_context import PASSWORD
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.sigver import CryptoBackendXmlSec1, pre_encryption_part
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

site, folder = sys.argv[1:]
ENTITY = "https://idp.example.com"
encrypt = CryptoBackendXmlSec1.encrypt_assertion


class Stay(urllib.request.HTTPRedirectHandler):
    """Follows no redirects."""

    def redirect_request(self, *_args):
        return None


class Browser:
    def __init__(self):
        self.cookies = http.cookiejar.CookieJar()
        jar = urllib.request.HTTPCookieProcessor(self.cookies)
        self.opener = urllib.request.build_opener(jar, Stay)

    def send(self, url, form=None):
        """Returns the status, the address of a redirect, and the text."""
        body = urllib.parse.urlencode(form).encode() if form else None
        try:
            answer = self.opener.open(url, body, timeout=20)
        except urllib.error.HTTPError as error:
            answer = error
        return answer.status, answer.headers.get("Location"), answer.read().decode()

    def who(self):
        status, _, text = self.send(f"{site}/json/users/me")
        return json.loads(text)["delivery_email"] if status == 200 else None


def provider():
    """Returns the provider, which knows the server by its metadata."""
    path = f"{folder}/sp.xml"
    with open(path, "w", encoding="utf-8") as file:
        file.write(Browser().send(f"{site}/saml/corp/metadata.xml")[2])
    return server.Server(config=config.IdPConfig().load({
        "entityid": ENTITY,
        "service": {"idp": {
            "endpoints": {
                "single_sign_on_service": [(f"{ENTITY}/sso", BINDING_HTTP_REDIRECT)],
                "single_logout_service": [(f"{ENTITY}/slo", BINDING_HTTP_REDIRECT)],
            },
            "want_authn_requests_signed": True,
            "policy": {"default": {"name_form": "urn:oasis:names:tc:SAML:2.0:attrname-format:uri"}},
        }},
        "key_file": f"{folder}/idp.key",
        "cert_file": f"{folder}/idp.crt",
        "encryption_keypairs": [{"key_file": f"{folder}/idp.key", "cert_file": f"{folder}/idp.crt"}],
        "metadata": {"local": [path]},
        "xmlsec_binary": "/usr/bin/xmlsec1",
    }))


def log_in(idp, browser, **options):
    """Logs in, and returns the status and the name of the person."""
    status, to, _ = browser.send(f"{site}/accounts/login/social/saml/corp")
    assert status == 302 and to.startswith(f"{ENTITY}/sso?"), (status, to)
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(to).query))
    request = idp.parse_authn_request(query["SAMLRequest"], BINDING_HTTP_REDIRECT, relay_state=query["RelayState"],
                                      sigalg=query["SigAlg"], signature=query["Signature"])
    want = idp.response_args(request.message)
    name = NameID(format=NAMEID_FORMAT_PERSISTENT, text="owner-at-the-provider")
    answer = idp.create_authn_response(
        {"mail": ["owner@example.com"], "displayName": ["Owner"]}, name_id=name, authn={"class_ref": PASSWORD},
        sign_alg=SIG_RSA_SHA256, digest_alg=DIGEST_SHA256,
        in_response_to=want["in_response_to"], destination=want["destination"], sp_entity_id=want["sp_entity_id"],
        **options)
    form = {"SAMLResponse": base64.b64encode(str(answer).encode()).decode(), "RelayState": query["RelayState"]}
    status, _, _ = browser.send(want["destination"], form)
    return status, name


def encrypted(algorithm, key):
    """Lets pysaml2 encrypt with an algorithm and a kind of key; by default it uses 3DES."""
    saml2.entity.pre_encryption_part = functools.partial(pre_encryption_part, msg_enc=algorithm)
    CryptoBackendXmlSec1.encrypt_assertion = functools.wraps(encrypt)(
        lambda self, statement, own, template, _key="", path=None: encrypt(self, statement, own, template, key, path))


def main():
    idp = provider()
    browser = Browser()
    status, name = log_in(idp, browser, sign_assertion=True, sign_response=False)
    assert status == 302 and browser.who() == "owner@example.com", (status, browser.who())
    for options, algorithm, want in [
        ({"sign_assertion": True, "sign_response": True}, None, 302),
        ({"sign_assertion": False, "sign_response": True}, None, 400),
        ({"sign_assertion": False, "sign_response": False}, None, 400),
        ({"sign_assertion": True, "sign_response": False, "encrypt_assertion": True},
         ("http://www.w3.org/2009/xmlenc11#aes256-gcm", "aes-256"), 302),
        ({"sign_assertion": True, "sign_response": True, "encrypt_assertion": True},
         ("http://www.w3.org/2001/04/xmlenc#aes256-cbc", "aes-256"), 302),
        ({"sign_assertion": True, "sign_response": False, "encrypt_assertion": True},
         ("http://www.w3.org/2001/04/xmlenc#aes256-cbc", "aes-256"), 400),
        ({"sign_assertion": True, "sign_response": True, "encrypt_assertion": True},
         ("http://www.w3.org/2001/04/xmlenc#tripledes-cbc", "des-192"), 400),
    ]:
        if algorithm:
            encrypted(*algorithm)
        got, _ = log_in(idp, Browser(), **options)
        assert got == want, (options, algorithm, got)
    request_id, request = idp.create_logout_request(f"{site}/saml/corp/logout", site, name_id=name)
    sent = idp.apply_binding(BINDING_HTTP_REDIRECT, str(request), f"{site}/saml/corp/logout", "state", sign=True,
                             sigalg=SIG_RSA_SHA256)
    status, to, _ = browser.send(dict(sent["headers"])["Location"])
    assert status == 302 and to.startswith(f"{ENTITY}/slo?"), (status, to)
    assert browser.who() is None, "the session has not ended"
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(to).query))
    answer = idp.parse_logout_request_response(query["SAMLResponse"], BINDING_HTTP_REDIRECT)
    assert answer.in_response_to == request_id, answer
    print("pysaml2: passed")


main()
