{{- define "stoa.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "stoa.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "stoa.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "stoa.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "stoa.selector" -}}
app.kubernetes.io/name: {{ include "stoa.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "stoa.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "stoa.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: server
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Of the Job that migrates the database. No selector may match its pods. */}}
{{- define "stoa.migrationLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/name: {{ include "stoa.name" . | trunc 53 | trimSuffix "-" }}-migration
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: migration
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "stoa.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The configuration: that of the values over what the cluster needs. */}}
{{- define "stoa.config" -}}
{{- $base := dict "http" (dict "stop_delay" "5s") }}
{{- if .Values.metrics.enabled }}
{{- $_ := set $base "metrics" (dict "addr" (printf "0.0.0.0:%d" (int .Values.metrics.port))) }}
{{- end }}
{{- toYaml (mustMergeOverwrite $base (deepCopy .Values.config)) }}
{{- end }}

{{/* What the server and the check of its configuration share. */}}
{{- define "stoa.container" -}}
image: {{ include "stoa.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
env:
  - name: STOA_CONFIG
    value: /etc/stoa/stoa.yaml
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.existingSecret }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
volumeMounts:
  - name: config
    mountPath: /etc/stoa
    readOnly: true
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
{{- end }}

{{/* On which machines pods run. */}}
{{- define "stoa.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "stoa.pod" -}}
metadata:
  annotations:
    checksum/config: {{ include "stoa.config" . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  labels:
    {{- include "stoa.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "stoa.fullname" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 90
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  initContainers:
    - name: config-check
      args: [config, check]
      {{- include "stoa.container" . | nindent 6 }}
  containers:
    - name: stoa
      args: [serve]
      {{- include "stoa.container" . | nindent 6 }}
      ports:
        - name: http
          containerPort: 9991
        {{- if .Values.metrics.enabled }}
        - name: metrics
          containerPort: {{ .Values.metrics.port }}
        {{- end }}
      livenessProbe:
        httpGet: {path: /health/live, port: http}
        periodSeconds: 10
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /health/ready, port: http}
        periodSeconds: 5
      startupProbe:
        httpGet: {path: /health/live, port: http}
        periodSeconds: 5
        failureThreshold: 720 # a migration of a large database must not be interrupted
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
  volumes:
    - name: config
      secret:
        secretName: {{ include "stoa.fullname" . }}
    - name: tmp
      emptyDir: {}
    {{- if eq .Values.database "postgres" }}
    - name: data
      emptyDir: {}
    {{- end }}
  {{- with include "stoa.placement" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
