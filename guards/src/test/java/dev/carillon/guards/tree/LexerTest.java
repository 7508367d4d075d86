package dev.carillon.guards.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LexerTest {
    @Test
    void aWordInACommentOrAStringIsNoCode() {
        var lexed = java("int a; // exit\n/* exit */ String s = \"exit \\\" exit\"; char c = '\"'; exit();");

        assertEquals(1, lexed.code().split("exit", -1).length - 1, lexed.code());
        assertEquals(2, lexed.comments().split("exit", -1).length - 1, lexed.comments());
        assertEquals(List.of("exit \\\" exit", "\\\"".substring(1)), texts(lexed));
    }

    @Test
    void aTextBlockIsOneString() {
        var lexed = java("var s = \"\"\"\n  say \"exit\"\n  \"\"\"; done();");

        assertFalse(lexed.code().contains("exit"), lexed.code());
        assertTrue(lexed.code().contains("done();"), lexed.code());
    }

    @Test
    void codeInAKotlinTemplateIsCode() {
        var lexed = new Lexer("val s = \"a ${exit(\"no {\")} b\"; done()", true).lex();

        assertTrue(lexed.code().contains("exit("), lexed.code());
        assertTrue(lexed.code().contains("done()"), lexed.code());
        assertFalse(lexed.code().contains("no {"), lexed.code());
    }

    @Test
    void kotlinCommentsNestAndRawStringsEscapeNothing() {
        var lexed = new Lexer("/* a /* b */ c */ x(\"\"\"\\\"\"\"); y()", true).lex();

        assertEquals("x(\"\"\" \"\"\"); y()", lexed.code().strip());
        assertEquals("/* a /* b */ c */", lexed.comments().strip());
    }

    @Test
    void everyOffsetStaysWhereItWas() {
        var text = "a /* b\n */ \"c\nd";
        var lexed = java(text);

        assertEquals(text.length(), lexed.code().length());
        assertEquals(text.indexOf('\n'), lexed.code().indexOf('\n'));
    }

    private static Lexed java(String text) {
        return new Lexer(text, false).lex();
    }

    private static List<String> texts(Lexed lexed) {
        return lexed.literals().stream().map(Lexed.Literal::text).toList();
    }
}
