package dev.carillon.guards.tree;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/** One XML element and the way to those below it, by tag names. */
public record Xml(Element element) {
    public static Xml read(Path file) {
        try {
            var factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return new Xml(factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement());
        } catch (IOException | SAXException | ParserConfigurationException e) {
            throw new IllegalStateException("cannot read " + file + " as XML: " + e.getMessage(), e);
        }
    }

    public String tag() {
        return element.getTagName();
    }

    public String text() {
        return element.getTextContent().strip();
    }

    public String attribute(String name) {
        return element.getAttribute(name);
    }

    public List<Xml> children() {
        var children = new ArrayList<Xml>();
        for (var node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element child) {
                children.add(new Xml(child));
            }
        }
        return children;
    }

    /** Every element reached by going down these tags, step by step. */
    public List<Xml> all(String... path) {
        if (path.length == 0) {
            return List.of(this);
        }
        var rest = Arrays.copyOfRange(path, 1, path.length);
        return children().stream()
                .filter(child -> child.tag().equals(path[0]))
                .flatMap(child -> child.all(rest).stream())
                .toList();
    }

    public Optional<Xml> first(String... path) {
        return all(path).stream().findFirst();
    }

    /** The texts of every element with a tag, however deep. */
    public List<String> anywhere(String tag) {
        var found = element.getElementsByTagName(tag);
        return IntStream.range(0, found.getLength())
                .mapToObj(i -> found.item(i).getTextContent().strip())
                .toList();
    }

    /** The text of the first such element; empty where there is none. */
    public String text(String... path) {
        return first(path).map(Xml::text).orElse("");
    }
}
