package dev.carillon.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The catalog that users read: signals.yaml, its schema, and what {@code ./carillon signals --json} prints. */
// r[verify life.catalog]
final class CatalogResourcesTest {
    private static final ObjectMapper JSON = new JsonMapper();
    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    private static JsonNode resource(String name, ObjectMapper format) throws IOException {
        try (InputStream in = Objects.requireNonNull(SignalCatalog.class.getResourceAsStream(name))) {
            return format.readTree(in);
        }
    }

    private static JsonNode yaml() throws IOException {
        return resource("signals.yaml", new YAMLMapper());
    }

    private static JsonNode json() throws IOException {
        return JSON.readTree(SignalCatalog.toJson());
    }

    private static Schema schema() throws IOException {
        return SCHEMAS.getSchema(resource("signals.schema.json", JSON));
    }

    @Test
    void whatIsPrintedIsWhatTheResourceSays() throws IOException {
        assertEquals(yaml(), json());
    }

    @Test
    void bothAreValid() throws IOException {
        assertEquals(List.of(), schema().validate(yaml()));
        assertEquals(List.of(), schema().validate(json()));
    }

    @Test
    void theSchemaIsOneOfItsDraft() throws IOException {
        Schema draft = SCHEMAS.getSchema(SchemaLocation.of(SpecificationVersion.DRAFT_2020_12.getDialectId()));
        assertEquals(List.of(), draft.validate(resource("signals.schema.json", JSON)));
    }

    /** A schema that accepts everything would accept the catalog, too. */
    @ParameterizedTest
    @CsvSource({
        "/signals/0, default_behavior, \"later\"",
        "/signals/0, unix_number, 0",
        "/signals/0, unix_number, \"15\"",
        "/signals/0, exit_code, 15",
        "/signals/0, timeout_seconds, -1",
        "/signals/0, cleanup_actions, \"all\"",
        "/signals/0, reload_strategy, \"restart_based\"",
        "/signals/0, double_tap_window_seconds, 2",
        "/signals/0, something_else, 1",
        "/signals/0, windows_event, \"CTRL_ALT_EVENT\"",
        "/signals/1, double_tap_exit_code, null",
        "/signals/2, validation_required, \"yes\"",
        "/signals/2/windows_fallback, log_level, \"WARN\"",
        "/signals/2/windows_fallback, telemetry_event, \"signal.unsupported\"",
        "/signals/2/windows_fallback/telemetry_tags, platform, \"linux\"",
        "/signals/2/windows_fallback/telemetry_tags, host, \"here\"",
        "/os_mappings/windows, CTRL_C_EVENT, 3",
        "/platform_support/SIGTERM, windows, \"native\"",
        "/behaviors/0, id, \"restart\"",
    })
    void aCatalogWithAMistakeIsInvalid(String place, String field, String value) throws IOException {
        JsonNode wrong = json();
        ((ObjectNode) wrong.at(place)).set(field, JSON.readTree(value));
        List<Error> messages = schema().validate(wrong);
        assertFalse(messages.isEmpty(), place + " " + field + "=" + value);
    }

    @ParameterizedTest
    @CsvSource({
        "/signals/0, cleanup_actions",
        "/signals/0, windows_event",
        "/signals/1, double_tap_message",
        "/signals/2, reload_strategy",
        "/signals/6, platform_overrides",
        "/signals/2/windows_fallback, operation_hint",
        "/behaviors/5, phases",
        "/os_mappings, signal_to_event",
        "/platform_support/SIGHUP, freebsd",
        "'', platform_support",
    })
    void aCatalogThatLacksAFieldIsInvalid(String place, String field) throws IOException {
        JsonNode wrong = json();
        ((ObjectNode) wrong.at(place)).remove(field);
        assertFalse(schema().validate(wrong).isEmpty(), place + " " + field);
    }

    /** Each value by itself, as JSON; what has none is written as null or an empty list. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            term | SIGTERM | 15 | "CTRL_CLOSE_EVENT" | graceful_shutdown | 143 | 30 | close_connections flush_buffers remove_pid_file log_shutdown
            int | SIGINT | 2 | "CTRL_C_EVENT" | graceful_shutdown_with_double_tap | 130 | 5 | close_connections flush_buffers remove_pid_file log_interrupt
            hup | SIGHUP | 1 | null | reload_via_restart | 129 | 30 | validate_new_config_against_schema graceful_shutdown restart_with_new_config log_reload
            quit | SIGQUIT | 3 | "CTRL_BREAK_EVENT" | immediate_exit | 131 | 0 | ''
            pipe | SIGPIPE | 13 | null | observe_only | 141 | null | ''
            alrm | SIGALRM | 14 | null | immediate_exit | 142 | 0 | ''
            usr1 | SIGUSR1 | 10 | null | custom | 138 | null | ''
            usr2 | SIGUSR2 | 12 | null | custom | 140 | null | ''
            kill | SIGKILL | 9 | null | immediate_exit | 137 | 0 | ''
            """)
    void aSignalHasItsFields(
            String id,
            String name,
            int number,
            String event,
            String behavior,
            int exitCode,
            String timeout,
            String actions)
            throws IOException {
        JsonNode signal = signal(id);
        assertEquals(name, signal.get("name").stringValue());
        assertEquals(number, signal.get("unix_number").intValue());
        assertEquals(JSON.readTree(event), signal.get("windows_event"));
        assertEquals(behavior, signal.get("default_behavior").stringValue());
        assertEquals(exitCode, signal.get("exit_code").intValue());
        assertEquals(JSON.readTree(timeout), signal.get("timeout_seconds"));
        StringBuilder found = new StringBuilder();
        signal.get("cleanup_actions").forEach(action -> found.append(' ').append(action.stringValue()));
        assertEquals(actions, found.toString().strip());
        assertEquals(number, json().at("/os_mappings/unix/" + name).intValue());
        assertEquals(JSON.readTree(event), json().at("/os_mappings/signal_to_event/" + name));
        assertEquals(
                event.equals("null") ? "unsupported" : "mapped",
                json().at("/platform_support/" + name + "/windows").stringValue());
    }

    @ParameterizedTest
    @CsvSource({
        "int, double_tap_window_seconds, 2",
        "int, double_tap_message, \"Press Ctrl+C again within 2s to force quit\"",
        "int, double_tap_behavior, \"immediate_exit\"",
        "int, double_tap_exit_code, 130",
        "hup, reload_strategy, \"restart_based\"",
        "hup, validation_required, true",
        "usr1, platform_overrides, '{\"darwin\": 30, \"freebsd\": 30}'",
        "usr2, platform_overrides, '{\"darwin\": 31, \"freebsd\": 31}'",
        "term, platform_overrides, {}",
        "term, windows_fallback, null",
        "int, windows_fallback, null",
        "quit, windows_fallback, null",
        "kill, windows_fallback, null",
    })
    void someHaveFieldsOfTheirOwn(String id, String field, String value) throws IOException {
        assertEquals(JSON.readTree(value), signal(id).get(field));
    }

    @ParameterizedTest
    @CsvSource({
        "/os_mappings/windows, '{\"CTRL_C_EVENT\": 0, \"CTRL_BREAK_EVENT\": 1, \"CTRL_CLOSE_EVENT\": 2,"
                + " \"CTRL_LOGOFF_EVENT\": 5, \"CTRL_SHUTDOWN_EVENT\": 6}'",
        "/os_mappings/platform_overrides, '{\"darwin\": {\"SIGUSR1\": 30, \"SIGUSR2\": 31},"
                + " \"freebsd\": {\"SIGUSR1\": 30, \"SIGUSR2\": 31}}'",
    })
    void theMappingsAreThoseOfTheSystems(String place, String value) throws IOException {
        assertEquals(JSON.readTree(value), json().at(place));
    }

    private static JsonNode signal(String id) throws IOException {
        for (JsonNode signal : json().get("signals")) {
            if (signal.get("id").stringValue().equals(id)) {
                return signal;
            }
        }
        throw new AssertionError("the catalog has no signal " + id);
    }
}
