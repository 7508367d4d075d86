package dev.carillon.sys;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Writes a class with a method that has thousands of local variables, which no readable source has:
 *
 * <pre>{@code
 * final class SuperclassLarge extends Superclass {
 *     void enter() {
 *         // so many local variables
 *         if (again != 0) {
 *             enter();
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p><b>See:</b> chapter 4 of the specification of the Java virtual machine.
 */
final class LargeFrame {
    private static final int MAGIC = 0xCAFE_BABE;

    /** Of Java 5: later ones need a table of the types on the stack. */
    private static final int VERSION = 49;

    private static final int FINAL_AND_SUPER = 0x30;

    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;

    private static final byte ALOAD_0 = 0x2a;
    private static final byte IFEQ = (byte) 0x99;
    private static final byte RETURN = (byte) 0xb1;
    private static final byte GETSTATIC = (byte) 0xb2;
    private static final byte INVOKEVIRTUAL = (byte) 0xb6;
    private static final byte INVOKESPECIAL = (byte) 0xb7;

    private final ByteArrayOutputStream pool = new ByteArrayOutputStream();
    private final DataOutputStream constants = new DataOutputStream(pool);
    private int count;

    private LargeFrame() {}

    /**
     * The content of a class file.
     *
     * @param superclass has a constructor without parameters
     * @param suffix what the name of the new class has behind that of the superclass
     * @param method its name in the superclass; takes nothing and returns nothing
     * @param field a static int of the superclass
     * @param locals how many local variables of 8 bytes
     */
    static byte[] bytes(Class<?> superclass, String suffix, String method, String field, int locals)
            throws IOException {
        return new LargeFrame().write(superclass.getName().replace('.', '/'), suffix, method, field, locals);
    }

    private byte[] write(String superclass, String suffix, String method, String field, int locals) throws IOException {
        int self = type(superclass + suffix);
        int parent = type(superclass);
        int code = text("Code");
        int constructor = text("<init>");
        int entered = text(method);
        int nothing = text("()V");
        int parentConstructor = member(METHOD, parent, constructor, nothing);
        int enter = member(METHOD, self, entered, nothing);
        int again = member(FIELD, parent, text(field), text("I"));

        ByteArrayOutputStream file = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(file);
        out.writeInt(MAGIC);
        shorts(out, 0, VERSION, count + 1);
        out.write(pool.toByteArray());
        shorts(out, FINAL_AND_SUPER, self, parent, 0, 0, 2);
        byte[] construct = {ALOAD_0, INVOKESPECIAL, 0, (byte) parentConstructor, RETURN};
        method(out, constructor, nothing, code, 1, construct);
        // The branch goes to the return, seven bytes on.
        byte[] enterAgain = {GETSTATIC, 0, (byte) again, IFEQ, 0, 7, ALOAD_0, INVOKEVIRTUAL, 0, (byte) enter, RETURN};
        method(out, entered, nothing, code, locals, enterAgain);
        shorts(out, 0);
        return file.toByteArray();
    }

    private static void method(DataOutputStream out, int name, int type, int code, int locals, byte[] bytes)
            throws IOException {
        shorts(out, 0, name, type, 1, code);
        // Behind the length: two shorts, an int, the bytes, and two empty tables.
        out.writeInt(bytes.length + 12);
        shorts(out, 1, locals);
        out.writeInt(bytes.length);
        out.write(bytes);
        shorts(out, 0, 0);
    }

    private int text(String text) throws IOException {
        constants.writeByte(UTF8);
        constants.writeUTF(text);
        return ++count;
    }

    private int type(String name) throws IOException {
        int text = text(name);
        constants.writeByte(CLASS);
        shorts(constants, text);
        return ++count;
    }

    private int member(int kind, int owner, int name, int type) throws IOException {
        constants.writeByte(NAME_AND_TYPE);
        shorts(constants, name, type);
        int nameAndType = ++count;
        constants.writeByte(kind);
        shorts(constants, owner, nameAndType);
        return ++count;
    }

    private static void shorts(DataOutputStream out, int... values) throws IOException {
        for (int value : values) {
            out.writeShort(value);
        }
    }
}
